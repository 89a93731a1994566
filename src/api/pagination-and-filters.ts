import { type Static, Type } from "@sinclair/typebox";
import { t } from "elysia";
import type { Blog } from "../blogs/blogs";
import { dayOf, hasOffset, instantOf } from "../blogs/time-zone";
import { malformed, malformedField } from "../errors";
import { jsonResponse } from "../http/responses/response";
import { LISTED_STATUSES, type Listing, type PostFilters } from "../posts/reading/filtered-posts";
import { type Cursor, SORTS } from "../posts/storage/post-list-queries";
import { hashSecret } from "../secrets";
import { parseJson } from "../text/json";
import { integer, nullable, oneOf, text, wholeNumber, yesOrNo } from "./json-schemas";

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;
const MAX_PAGE = 1_000_000_000;
const CHECKSUM_LENGTH = 16;

const optionalText = (description: string) => t.Optional(t.String({ description }));
const optionalNumber = (description: string) => t.Optional(wholeNumber({ description }));
const optionalFlag = (description: string) => t.Optional(yesOrNo({ description }));

export const pageQuery = t.Object({
  page: optionalNumber("Starts at 1"),
  cursor: optionalText("Instead of page: pagination.next of the previous page, with the same filters"),
  limit: optionalNumber("Default 20, at most 100"),
});

export const paginationShape = t.Object({
  page: integer("Number of this page, also for requests by cursor"),
  limit: Type.Integer(),
  total: Type.Integer(),
  pages: Type.Integer(),
  next: nullable(text("Cursor of the next page; null on the last page, and if the list has no cursors")),
});

interface Page {
  page: number;
  /** Set for a request by cursor: the list starts after this row, whatever `page` is. */
  after?: Cursor;
  limit: number;
}

/** @param list identifies the list; a cursor is valid for its own list only */
export function parsePage(list: unknown, { page, cursor, limit }: Static<typeof pageQuery>): Page {
  if ((page ?? 1) < 1) throw malformedField("page", "must be at least 1");
  if ((limit ?? 1) < 1) throw malformedField("limit", "must be at least 1");
  if (page !== undefined && cursor !== undefined)
    throw malformedField("cursor", "cannot be combined with page");
  const from = cursor === undefined ? { page: Math.min(page ?? 1, MAX_PAGE) } : verifyCursor(list, cursor);
  return { ...from, limit: Math.min(limit ?? DEFAULT_LIMIT, MAX_LIMIT) };
}

export function pageResponse(
  name: string,
  items: unknown[],
  { page, limit }: Page,
  total: number,
  next: string | null = null,
) {
  const pages = Math.ceil(total / limit);
  return jsonResponse(200, { [name]: items, pagination: { page, limit, total, pages, next } });
}

export function cursorText(list: unknown, page: number, next: Cursor | null): string | null {
  if (!next) return null;
  const place = Buffer.from(JSON.stringify([page + 1, next.key, next.id])).toString("base64url");
  return `${place}.${cursorChecksum(list, place)}`;
}

/** Cursors can be forged, so every value is checked. */
function verifyCursor(list: unknown, cursor: string): Pick<Page, "page" | "after"> {
  const [place = "", check] = cursor.split(".");
  const decoded = parseJson(Buffer.from(place, "base64url").toString());
  const [page, key, id] = Array.isArray(decoded) ? decoded : [];
  const isKey = key === null || typeof key === "string" || Number.isSafeInteger(key);
  const isPlace = isKey && Number.isSafeInteger(page) && Number.isSafeInteger(id);
  if (!isPlace || check !== cursorChecksum(list, place))
    throw malformedField("cursor", "must be pagination.next of the same list: same blog, filters and sort");
  return { page, after: { key, id } };
}

/** The checksum needs no secret, because a forged cursor reveals nothing. */
function cursorChecksum(list: unknown, place: string): string {
  return hashSecret(`${JSON.stringify(list)} ${place}`).slice(0, CHECKSUM_LENGTH);
}

const directed = SORTS.flatMap((sort) => [sort, `-${sort}`] as const);

export const blogIdQuery = t.Object({ blog_id: optionalNumber("The target blog") });
export const sourceQuery = t.Object({
  include_source: optionalFlag("Adds content.source and content.source_type"),
});

export const listQuery = t.Object({
  ...blogIdQuery.properties,
  status: t.Optional(oneOf(LISTED_STATUSES)),
  type: t.Optional(oneOf(["posts", "pages"])),
  category: optionalText("Only this category, by name"),
  category_id: optionalNumber("Only this category, by id"),
  exclude_category: optionalText("Exclude this category, by name"),
  exclude_category_id: optionalNumber("Exclude this category, by id"),
  uncategorized: optionalFlag("Only posts with no category"),
  search: optionalText("Search terms for title and content"),
  from_date: optionalText("YYYY-MM-DD in the blog's time zone, or ISO 8601 with offset"),
  to_date: optionalText("Like from_date; includes this whole day"),
  updated_since: optionalText("Changed since this time; ISO 8601 with offset"),
  ...pageQuery.properties,
  sort: t.Optional(oneOf(directed)),
  include_content: optionalFlag("Adds content.html and content.text"),
  ...sourceQuery.properties,
});
export type ListQuery = typeof listQuery.static;

export function parseListQuery(blog: Blog, query: ListQuery): Listing {
  const filters = filtersOf(blog, query);
  return { ...filters, ...parsePage([blog.id, filters], query) };
}

export function nextCursor(blog: Blog, listing: Listing, next: Cursor | null): string | null {
  const { page, after, limit, ...filters } = listing;
  return cursorText([blog.id, filters], page, next);
}

function filtersOf(blog: Blog, query: ListQuery): PostFilters {
  assertCombinable(query);
  const { from_date, to_date, updated_since, sort = "-published_at" } = query;
  return {
    status: query.status ?? "published",
    type: query.type && (query.type === "pages" ? "page" : "post"),
    category: query.category,
    categoryId: query.category_id,
    excludeCategory: query.exclude_category,
    excludeCategoryId: query.exclude_category_id,
    uncategorized: query.uncategorized,
    search: query.search,
    from: from_date === undefined ? undefined : parseBound(blog, "from_date", from_date).from,
    until: to_date === undefined ? undefined : parseBound(blog, "to_date", to_date).until,
    updatedSince: updated_since === undefined ? undefined : parseInstant("updated_since", updated_since),
    sort: sort.replace("-", "") as PostFilters["sort"],
    descending: sort.startsWith("-"),
  };
}

function assertCombinable(query: ListQuery): void {
  if (query.category === undefined && query.category_id === undefined) return;
  const excluding = ["exclude_category", "exclude_category_id", "uncategorized"] as const;
  const fields = excluding.filter((field) => query[field] !== undefined && query[field] !== false);
  if (fields.length === 0) return;
  throw malformed(
    "category and category_id cannot be combined with exclude_category, exclude_category_id or uncategorized=true.",
    Object.fromEntries(fields.map((field) => [field, ["cannot be combined with category or category_id"]])),
  );
}

/** `until` is exclusive. */
function parseBound(blog: Blog, field: string, text: string): { from: Date; until: Date } {
  const day = dayOf(text, blog.timeZone);
  if (day) return day;
  const from = parseInstant(field, text, "YYYY-MM-DD, or ");
  return { from, until: new Date(from.getTime() + 1) };
}

/** An unescaped "+" of an offset arrives as a space. */
function parseInstant(field: string, text: string, orElse = ""): Date {
  const escaped = text.replace(/ (\d{2}:?\d{2})$/, "+$1");
  const found = hasOffset(escaped) ? instantOf(escaped, "UTC") : null;
  if (!found)
    throw malformedField(field, `must be ${orElse}ISO 8601 with an offset, like 2026-03-01T09:00:00Z`);
  return found;
}
