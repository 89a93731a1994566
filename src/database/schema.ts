/**
 * Column names are the properties in snake_case (drizzle's `casing`), unless a name is given. Times are in
 * milliseconds since 1970. Each foreign key has an index that begins with the key.
 */
export * from "./tables/account-tables";
export * from "./tables/blog-tables";
export * from "./tables/copy-tables";
export * from "./tables/delivery-tables";
export * from "./tables/fediverse-tables";
export * from "./tables/instance-tables";
export * from "./tables/key-tables";
export * from "./tables/komment-tables";
export * from "./tables/media-tables";
export * from "./tables/newsletter-tables";
export * from "./tables/post-tables";
