import type { Blog } from "../blogs/blogs";
import { dayOf, hasOffset, instantOf } from "../blogs/time-zone";
import { invalid, malformed } from "../errors";
import type { Listing } from "../posts/reading/listing";
import type { PostChanges } from "../posts/writing/post-changes";
import type { ListQuery, PostFields } from "./schemas";

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

/** @throws Refusal (invalid) naming `published_at` */
export function changesOf(blog: Blog, fields: PostFields): PostChanges {
  const { meta = {} } = fields;
  return {
    title: fields.title,
    content: fields.content,
    contentType: fields.content_type,
    status: fields.status,
    slug: fields.slug,
    type: fields.type,
    publishedAt: publishedAt(blog, fields.published_at),
    category: fields.category,
    categoryId: fields.category_id,
    tags: fields.tags,
    altText: fields.alt_text && altText(fields.alt_text),
    isShared: meta.is_shared,
    hidden: meta.hidden,
    hideInRss: meta.hide_in_rss,
    noIndexNoFollow: meta.no_index_no_follow,
    showContactForm: meta.show_contact_form,
    kommentsDisabled: meta.komments_disabled,
    skipArchive: meta.skip_archive,
  };
}

function publishedAt(blog: Blog, text: string | null | undefined): Date | null | undefined {
  if (text === undefined || text === null) return text;
  const instant = instantOf(text.trim(), blog.timeZone);
  if (!instant) throw invalid({ published_at: ["must be an ISO 8601 time like 2026-03-01T09:00:00Z"] });
  return instant;
}

/** Both forms of interface.md Alt text as one; of entries for the same file the last counts. */
function altText(entries: NonNullable<PostFields["alt_text"]>): Record<string, string> {
  if (!Array.isArray(entries)) return entries;
  return Object.fromEntries(entries.map(({ filename, alt }) => [filename, alt]));
}
