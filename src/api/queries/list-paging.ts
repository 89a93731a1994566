/** Paging of lists, by page number or by cursor. */
import { type Static, Type } from "@sinclair/typebox";
import { t } from "elysia";
import { malformedField } from "../../errors";
import type { Cursor } from "../../posts/lists/selection";
import { hashSecret } from "../../secrets";
import { nullable, wholeNumber } from "../json/shapes";

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;
const MAX_PAGE = 1_000_000_000;
const CHECKSUM_LENGTH = 16;

export const pageQuery = t.Object({
  page: t.Optional(wholeNumber({ description: "Starts at 1" })),
  cursor: t.Optional(
    t.String({ description: "Instead of page: pagination.next of the previous page, with the same filters" }),
  ),
  limit: t.Optional(wholeNumber({ description: "Default 20, at most 100" })),
});

export const paginationShape = t.Object({
  page: Type.Integer({ description: "Page number, also with cursors" }),
  limit: Type.Integer(),
  total: Type.Integer(),
  pages: Type.Integer(),
  next: nullable(t.String({ description: "Cursor of the next page; null on the last page" })),
});

interface Page {
  /** Starts at 1. */
  page: number;
  /** The page starts after this, instead of by its number. */
  after?: Cursor;
  limit: number;
}

/**
 * @param list identifies the list; a cursor is valid for its own list only
 * @throws Refusal (malformed) naming `page`, `limit` or `cursor`
 */
export function parsePage(list: unknown, { page, cursor, limit }: Static<typeof pageQuery>): Page {
  if ((page ?? 1) < 1) throw malformedField("page", "must be at least 1");
  if ((limit ?? 1) < 1) throw malformedField("limit", "must be at least 1");
  if (page !== undefined && cursor !== undefined)
    throw malformedField("cursor", "cannot be combined with page");
  const from = cursor === undefined ? { page: Math.min(page ?? 1, MAX_PAGE) } : verifyCursor(list, cursor);
  return { ...from, limit: Math.min(limit ?? DEFAULT_LIMIT, MAX_LIMIT) };
}

export function paginationOf({ page, limit }: Page, total: number, next: string | null) {
  return { page, limit, total, pages: Math.ceil(total / limit), next } satisfies Static<
    typeof paginationShape
  >;
}

/** @param page number of the current page @returns null on the last page */
export function cursorText(list: unknown, page: number, next: Cursor | null): string | null {
  if (!next) return null;
  const place = Buffer.from(JSON.stringify([page + 1, next.key, next.id])).toString("base64url");
  return `${place}.${cursorChecksum(list, place)}`;
}

function verifyCursor(list: unknown, cursor: string): Pick<Page, "page" | "after"> {
  const [place = "", check] = cursor.split(".");
  const found = check === cursorChecksum(list, place) ? decodeCursor(place) : null;
  if (!found)
    throw malformedField("cursor", "must be pagination.next of the same list: same blog, filters and sort");
  return found;
}

/** Cursors can be forged, so every value is checked. */
function decodeCursor(text: string): Pick<Page, "page" | "after"> | null {
  try {
    const [page, key, id] = JSON.parse(Buffer.from(text, "base64url").toString());
    const isKey = key === null || typeof key === "string" || Number.isSafeInteger(key);
    return isKey && Number.isSafeInteger(page) && Number.isSafeInteger(id)
      ? { page, after: { key, id } }
      : null;
  } catch {
    return null;
  }
}

/** Needs no secret: a forged cursor reveals nothing. */
function cursorChecksum(list: unknown, place: string): string {
  return hashSecret(`${JSON.stringify(list)} ${place}`).slice(0, CHECKSUM_LENGTH);
}
