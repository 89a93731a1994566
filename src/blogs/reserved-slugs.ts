/** First path segments that are no slugs, on every host (contract.md 3); `@*` and `.well-known` cannot be slugs. */
const ROOT_SEGMENTS = "api micropub auth admin media assets share setup livez readyz metrics".split(" ");
/** The same below each blog's address: every page of src/site/serving/site-routes.ts begins with one. */
const BLOG_SEGMENTS = ["archive", "category", "feed", "komments", "search", "tag"] as const;
const RESERVED = new Set<string>([...ROOT_SEGMENTS, ...BLOG_SEGMENTS]);

type BlogSegment = (typeof BLOG_SEGMENTS)[number];
/** A path below a blog's address that no post can be at: reserved, or with a dot, which slugs never have. */
export type ReservedPath = "/" | `/${BlogSegment}` | `/${BlogSegment}/${string}` | `/${string}.${string}`;

/** No blog can be called so: /admin/blogs/new makes one. */
export const NO_BLOG = "new";

export function isReserved(slug: string): boolean {
  return RESERVED.has(slug);
}

/** Is it the beginning of addresses on every host that no blog answers, whatever follows? */
export function isRootSegment(segment: string): boolean {
  return ROOT_SEGMENTS.includes(segment);
}
