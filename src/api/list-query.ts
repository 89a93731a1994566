import { t } from "elysia";
import type { Blog } from "../blogs/blogs";
import { dayOf, hasOffset, instantOf } from "../blogs/time-zone";
import { malformed } from "../errors";
import { LISTED_STATUSES, type Listing, SORTS } from "../posts/reading/listing";

const oneOf = <Name extends string>(names: readonly Name[]) => t.Union(names.map((name) => t.Literal(name)));
const directed = SORTS.flatMap((sort) => [sort, `-${sort}`] as const);

export const blogIdQuery = t.Object({ blog_id: t.Optional(t.Integer({ description: "The target blog" })) });

export const listQuery = t.Object({
  ...blogIdQuery.properties,
  status: t.Optional(oneOf(LISTED_STATUSES)),
  type: t.Optional(oneOf(["posts", "pages"])),
  category: t.Optional(t.String({ description: "Only this category, by name" })),
  category_id: t.Optional(t.Integer({ description: "Only this category, by id" })),
  exclude_category: t.Optional(t.String({ description: "Exclude this category, by name" })),
  exclude_category_id: t.Optional(t.Integer({ description: "Exclude this category, by id" })),
  uncategorized: t.Optional(t.BooleanString({ description: "Only posts with no category" })),
  search: t.Optional(t.String({ description: "Words to look for in title and content" })),
  from_date: t.Optional(
    t.String({ description: "YYYY-MM-DD in the blog's time zone, or ISO 8601 with offset" }),
  ),
  to_date: t.Optional(t.String({ description: "Like from_date; the day itself is included" })),
  page: t.Optional(t.Integer({ description: "From 1" })),
  limit: t.Optional(t.Integer({ description: "20 without it; above 100 it counts as 100" })),
  sort: t.Optional(oneOf(directed)),
  include_content: t.Optional(t.BooleanString({ description: "Items carry content.html and content.text" })),
});
type ListQuery = typeof listQuery.static;

const STANDARD_LIMIT = 20;
const HIGHEST_LIMIT = 100;
/** Past any page a blog can have, and small enough to be multiplied. */
const HIGHEST_PAGE = 1_000_000_000;

/** @throws Refusal (malformed): filters that exclude each other, a date that is none */
export function listingOf(blog: Blog, query: ListQuery): Listing {
  const wantsOne = query.category !== undefined || query.category_id !== undefined;
  const excludes = query.exclude_category !== undefined || query.exclude_category_id !== undefined;
  if (wantsOne && (excludes || query.uncategorized))
    throw malformed(
      "category and category_id cannot be combined with exclude_category, exclude_category_id or uncategorized=true.",
    );
  for (const field of ["page", "limit"] as const)
    if ((query[field] ?? 1) < 1)
      throw malformed(`${field} must be at least 1.`, { [field]: ["must be at least 1"] });
  const sort = query.sort ?? "-published_at";
  return {
    status: query.status ?? "published",
    type: query.type && (query.type === "pages" ? "page" : "post"),
    category: query.category,
    categoryId: query.category_id,
    excludeCategory: query.exclude_category,
    excludeCategoryId: query.exclude_category_id,
    uncategorized: query.uncategorized,
    search: query.search,
    from: query.from_date === undefined ? undefined : bound(blog, "from_date", query.from_date).from,
    until: query.to_date === undefined ? undefined : bound(blog, "to_date", query.to_date).until,
    sort: sort.replace("-", "") as Listing["sort"],
    descending: sort.startsWith("-"),
    page: Math.min(query.page ?? 1, HIGHEST_PAGE),
    limit: Math.min(query.limit ?? STANDARD_LIMIT, HIGHEST_LIMIT),
    withContent: query.include_content ?? false,
  };
}

/** A whole day of the blog, or the very instant; a "+" of an offset that was not escaped arrives as a space. */
function bound(blog: Blog, field: string, text: string): { from: Date; until: Date } {
  const day = dayOf(text, blog.timeZone);
  if (day) return day;
  const escaped = text.replace(/ (\d{2}:?\d{2})$/, "+$1");
  const instant = hasOffset(escaped) ? instantOf(escaped, blog.timeZone) : null;
  const says = "must be YYYY-MM-DD, or ISO 8601 with an offset";
  if (!instant) throw malformed(`${field} ${says}.`, { [field]: [says] });
  return { from: instant, until: new Date(instant.getTime() + 1) };
}
