/** Lists come in pages: asked for by number, or by the cursor that the page before told. */
import { type Static, Type } from "@sinclair/typebox";
import { t } from "elysia";
import { malformedField } from "../../errors";
import type { Cursor } from "../../posts/lists/selection";
import { hashSecret } from "../../secrets";
import { nullable, wholeNumber } from "../json/shapes";

const STANDARD_LIMIT = 20;
const HIGHEST_LIMIT = 100;
/** Past any page a blog can have, and small enough to be multiplied. */
const HIGHEST_PAGE = 1_000_000_000;
/** Characters of a cursor that tell it from one of another list. */
const CHECK_LENGTH = 16;

export const pageQuery = t.Object({
  page: t.Optional(wholeNumber({ description: "From 1" })),
  cursor: t.Optional(
    t.String({ description: "In place of page: pagination.next of the page before, with the same filters" }),
  ),
  limit: t.Optional(wholeNumber({ description: "20 without it; above 100 it counts as 100" })),
});

export const paginationShape = t.Object({
  page: Type.Integer({ description: "Counted on where cursors are followed" }),
  limit: Type.Integer(),
  total: Type.Integer(),
  pages: Type.Integer(),
  next: nullable(t.String({ description: "The cursor of the next page; null at the end" })),
});

interface Page {
  /** From 1. */
  page: number;
  /** Where it begins, in place of its number. */
  after?: Cursor;
  limit: number;
}

/**
 * @param list what tells this list from others: a cursor holds for the list it was told by
 * @throws Refusal (malformed) naming `page`, `limit` or `cursor`
 */
export function pageOf(list: unknown, { page, cursor, limit }: Static<typeof pageQuery>): Page {
  if ((page ?? 1) < 1) throw malformedField("page", "must be at least 1");
  if ((limit ?? 1) < 1) throw malformedField("limit", "must be at least 1");
  if (page !== undefined && cursor !== undefined)
    throw malformedField("cursor", "takes the place of page: send one of them");
  const from = cursor === undefined ? { page: Math.min(page ?? 1, HIGHEST_PAGE) } : placeIn(list, cursor);
  return { ...from, limit: Math.min(limit ?? STANDARD_LIMIT, HIGHEST_LIMIT) };
}

export function paginationOf({ page, limit }: Page, total: number, next: string | null) {
  return { page, limit, total, pages: Math.ceil(total / limit), next } satisfies Static<
    typeof paginationShape
  >;
}

/** @param page the number of the page that tells it; null where nothing follows */
export function cursorText(list: unknown, page: number, next: Cursor | null): string | null {
  if (!next) return null;
  const place = Buffer.from(JSON.stringify([page + 1, next.key, next.id])).toString("base64url");
  return `${place}.${checkOf(list, place)}`;
}

function placeIn(list: unknown, cursor: string): Pick<Page, "page" | "after"> {
  const [place = "", check] = cursor.split(".");
  const found = check === checkOf(list, place) ? placeOf(place) : null;
  if (!found)
    throw malformedField(
      "cursor",
      "must be pagination.next of this very list: the same blog, filters and sort",
    );
  return found;
}

/** Whoever knows how cursors are made may have made one of anything. */
function placeOf(text: string): Pick<Page, "page" | "after"> | null {
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

/** No secret: a cursor names a place, and whoever makes one up sees nothing that is not shown anyway. */
function checkOf(list: unknown, place: string): string {
  return hashSecret(`${JSON.stringify(list)} ${place}`).slice(0, CHECK_LENGTH);
}
