import { and, desc, inArray, isNotNull, isNull, lte, or, sql } from "drizzle-orm";
import { DAY } from "../config/units";
import { deleteRows, findRow, findRows, findValues, hasValues } from "../database/rows";
import { unsavedPosts } from "../database/schema";
import { inInvisibleTransaction } from "../database/transactions";
import type { Platen } from "../platen";
import { assertDiskSpace } from "../runtime/disk-space";

const LIFETIME_MS = 30 * DAY;
/** Small, because a row can be several megabytes long. */
const ROWS_PER_CALL = 20;

const MAX_STAMPS = 50;

/** An account has one unsaved text for each post and for each unfinished new post. */
export interface UnsavedPlace {
  accountId: number;
  blogId: number;
  /** Post id, or the form's id for a new post. */
  postKey: number | string;
}

type Row = typeof unsavedPosts.$inferSelect;
export type UnsavedPost = Row & { fields: Record<string, unknown> };

interface Unsaved {
  /** null after a save or discard. */
  fields: string | null;
  version: string;
  /** Ids of autosave requests, newest first. The newest one sent this text; the form knows the others. */
  stamps: string[];
}

export function findUnsaved(platen: Platen, place: UnsavedPlace): UnsavedPost | null {
  const row = findRow(platen, unsavedPosts, isAt(place));
  return row && hasText(row) ? row : null;
}

/** Whether the form has sent or loaded the stored text. Also true if none is stored. */
export function knowsStored(stamps: string[], stored: Pick<Row, "stamps"> | null): boolean {
  return stored === null || stamps.includes(stampsOf(stored)[0] as string);
}

export function knowsUnsavedAt(platen: Platen, place: UnsavedPlace, stamps: string[]): boolean {
  const stored = stampsAt(platen, place);
  return !stored?.isText || knowsStored(stamps, stored);
}

/**
 * A repeated or late request changes nothing.
 * @returns whether the text is stored; null if the form does not know the stored text
 * @throws Refusal: no room, unwritable
 */
export function storeUnsaved(platen: Platen, place: UnsavedPlace, text: Unsaved & { fields: string }) {
  assertDiskSpace(platen);
  const { stamps } = text;
  return inInvisibleTransaction(platen, () => {
    const before = stampsAt(platen, place);
    if (before && stampsOf(before).includes(stamps[0] as string)) return before.isText;
    if (before?.isText && !knowsStored(stamps, before)) return null;
    replaceRow(platen, place, text);
    return true;
  });
}

/**
 * Clears the text after a save or discard.
 * @param stamps ids of autosave requests that may still arrive
 * @param postId id of the saved post; undefined for a discard
 */
export function settleUnsaved(platen: Platen, place: UnsavedPlace, stamps: string[], postId?: number): void {
  inInvisibleTransaction(platen, () => {
    const before = stampsAt(platen, place);
    const all = [...new Set([...stamps, ...(before ? stampsOf(before) : [])])];
    const savedAs = postId?.toString() ?? (before?.isText === false ? before.version : "");
    if (all.length > 0) replaceRow(platen, place, { fields: null, version: savedAs, stamps: all });
  });
}

/** @returns id of the post that a save already created from this text; null if there is none */
export function alreadySavedPost(platen: Platen, place: UnsavedPlace, stamps: string[]): number | null {
  const settled = stampsAt(platen, place);
  if (!settled || settled.isText || settled.version === "") return null;
  return stampsOf(settled)[0] === stamps[0] ? Number(settled.version) : null;
}

export function unfinishedPosts(platen: Platen, accountId: number, blogId: number, most: number) {
  const isOfNewPost = hasValues(unsavedPosts, { blogId, accountId, postId: null });
  const isUnfinished = and(isOfNewPost, isNotNull(unsavedPosts.fields));
  const newestFirst = { orderBy: desc(unsavedPosts.keptAt), limit: most };
  return findRows(platen, unsavedPosts, isUnfinished, newestFirst).filter(hasText);
}

export function withUnsavedChanges(platen: Platen, postIds: number[]): Set<number> {
  const isChanged = and(inArray(unsavedPosts.postId, postIds), isNotNull(unsavedPosts.fields));
  return new Set(findValues(platen, unsavedPosts, "postId", isChanged) as number[]);
}

/** Deletes empty rows, and texts of posts that were never saved. Unsaved changes to existing posts stay. */
export function deleteOldUnsaved(platen: Platen): void {
  const since = new Date(platen.now().getTime() - LIFETIME_MS);
  const isOld = or(isNull(unsavedPosts.postId), isNull(unsavedPosts.fields));
  const old = and(isOld, lte(unsavedPosts.keptAt, since));
  const some = platen.db.select({ id: unsavedPosts.id }).from(unsavedPosts).where(old).limit(ROWS_PER_CALL);
  inInvisibleTransaction(platen, () => deleteRows(platen, unsavedPosts, inArray(unsavedPosts.id, some)));
}

function isAt({ accountId, blogId, postKey }: UnsavedPlace) {
  const key = typeof postKey === "number" ? { postId: postKey } : { blogId, newPost: postKey };
  return hasValues(unsavedPosts, { accountId, ...key });
}

function stampsAt({ db }: Platen, place: UnsavedPlace) {
  const isText = sql<number>`${unsavedPosts.fields} IS NOT NULL`.mapWith(Boolean);
  const { stamps, version } = unsavedPosts;
  return db.select({ stamps, version, isText }).from(unsavedPosts).where(isAt(place)).get();
}

function replaceRow({ db, now }: Platen, place: UnsavedPlace, { stamps, fields, version }: Unsaved): void {
  const { accountId, blogId, postKey } = place;
  const whose = typeof postKey === "number" ? { postId: postKey } : { newPost: postKey };
  const text = { version, fields: fields === null ? null : sql`${fields}` };
  const times = { stamps: stamps.slice(0, MAX_STAMPS).join(" "), keptAt: now() };
  const row = { accountId, blogId, ...whose, ...text, ...times };
  db.delete(unsavedPosts).where(isAt(place)).run();
  db.insert(unsavedPosts).values(row).run();
}

function hasText(row: Row): row is UnsavedPost {
  return row.fields !== null;
}

function stampsOf({ stamps }: Pick<Row, "stamps">): string[] {
  return stamps.split(" ");
}
