/** First path segments on every host that are not slugs. Slugs cannot contain `@` or begin with a dot. */
const ROOT_SEGMENTS = "api micropub auth admin media assets share setup livez readyz metrics".split(" ");
/** Reserved first segments below each blog's URL. Each page in src/site/serving/site-routes.ts begins with one. */
const BLOG_SEGMENTS = ["archive", "category", "feed", "komments", "search", "tag"] as const;
const RESERVED = new Set<string>([...ROOT_SEGMENTS, ...BLOG_SEGMENTS]);

type BlogSegment = (typeof BLOG_SEGMENTS)[number];
/** A path below a blog's URL that no post can have: reserved, or with a dot, which slugs never contain. */
export type ReservedPath = "/" | `/${BlogSegment}` | `/${BlogSegment}/${string}` | `/${string}.${string}`;

/** Not allowed as a blog's slug, because /admin/blogs/new creates a blog. */
export const NO_BLOG = "new";

export function isReserved(slug: string): boolean {
  return RESERVED.has(slug);
}

/** Whether the server itself, and no blog, serves all paths that begin with this segment. */
export function isRootSegment(segment: string): boolean {
  return ROOT_SEGMENTS.includes(segment);
}
