import { and, desc, eq, gte, sql } from "drizzle-orm";
import { DAY } from "../../config/units";
import { keepDataVersion } from "../../database/change-counter";
import { findRow, prepared, prepareInsert, prepareSql } from "../../database/rows";
import { revisions } from "../../database/schema";
import { inUnsyncedTransaction } from "../../database/transactions";
import { requireFound } from "../../errors";
import type { Platen } from "../../platen";
import type { Content, Post, PostRow, SavedBy, WholePost } from "../post/post";
import { contentOf } from "../storage/stored-posts";
import { type PostChanges, plainFields } from "./post-input";

/**
 * Call this function in the transaction of the save.
 * @param previous content before the save; null if the save keeps the content
 */
export function storeRevision(
  platen: Platen,
  before: Post & Partial<WholePost>,
  previous: Content | null,
  { at, replacedBy }: { at: Date; replacedBy: SavedBy | null },
): void {
  const { blog, category, tags, attachments, excerpt, htmlBytes, sourceBytes, madeBy, ...stored } = before;
  const { html, text, source: _, sourceType, translationGroup, translationOf, ...fields } = stored;
  const content = previous && { source: previous.source, sourceType: previous.sourceType };
  const stated = { ...fields, ...content, category: category?.name ?? null, tags, replacedBy };
  insertRevision(platen, { postId: before.id, replacedAt: at, fields: stated });
  // A client that saves in a loop must not fill the disk. The time of the previous save is used, because a
  // clock that is ahead would make all revisions old.
  const lastSave = Math.min(at.getTime(), before.updatedAt.getTime());
  pruneBetween(platen, before.id, before.id, lastSave);
}

const insertRevision = prepareInsert(revisions);

/** `fields` follows `RevisionFields`. */
export type ImportedRevision = { replacedAt: Date; fields: Record<string, unknown> };

/** @param imported oldest first */
export function importRevisions(platen: Platen, postId: number, imported: ImportedRevision[]): void {
  for (const { replacedAt, fields } of imported) insertRevision(platen, { postId, replacedAt, fields });
}

const POSTS_PER_CALL = 300;
/** Limits the work of one call, because a revision can be a megabyte long. */
const MAX_PER_CALL = 20;

const lastPruned = new WeakMap<Platen["db"], number>();

/**
 * Keeps the newest 100 revisions of the last 24 hours, and one per hour beyond these 100. Keeps one per day
 * for 31 days, then one per month (UTC).
 * @returns whether posts may be left to prune
 */
export function pruneRevisions(platen: Platen): boolean {
  const after = lastPruned.get(platen.db) ?? 0;
  const { last } = lastPostOfCall(platen).get(after) as { last: number | null };
  if (last === null) {
    lastPruned.delete(platen.db);
    return false;
  }
  const prune = () => pruneBetween(platen, after + 1, last);
  const isDone = keepDataVersion(platen, () => inUnsyncedTransaction(platen, prune));
  if (isDone) lastPruned.set(platen.db, last);
  return true;
}

const lastPostOfCall = prepareSql<{ last: number | null }, [number]>(
  `SELECT max(post_id) AS last
   FROM (SELECT DISTINCT post_id FROM revisions WHERE post_id > ? ORDER BY post_id LIMIT ${POSTS_PER_CALL})`,
);

function pruneBetween(platen: Platen, first: number, last: number, now = platen.now().getTime()): boolean {
  const found = prunable(platen).all({ first, last, dayAgo: now - DAY, monthAgo: now - 31 * DAY });
  for (const { id } of found) for (const statement of deletion(platen)) statement.run({ id });
  return found.length < MAX_PER_CALL;
}

type Range = Record<"first" | "last" | "dayAgo" | "monthAgo", number>;

const prunable = prepareSql<{ id: number }, [Range]>(
  // Window functions copy the columns that they read, so `fields` is left out.
  `WITH ranked AS (
       SELECT id, post_id, replaced_at, row_number() OVER (PARTITION BY post_id ORDER BY id DESC) AS newness
       FROM revisions WHERE post_id BETWEEN $first AND $last
     ), spans AS (
       SELECT id, post_id, CASE
         WHEN replaced_at >= $dayAgo AND newness <= 100 THEN id
         ELSE strftime(CASE
           WHEN replaced_at >= $dayAgo THEN '%Y-%m-%d %H'
           WHEN replaced_at >= $monthAgo THEN '%Y-%m-%d'
           ELSE '%Y-%m' END, replaced_at / 1000, 'unixepoch')
         END AS span
       FROM ranked
     )
     SELECT id FROM revisions WHERE post_id BETWEEN $first AND $last
       AND id NOT IN (SELECT max(id) FROM spans GROUP BY post_id, span)
     ORDER BY id LIMIT ${MAX_PER_CALL}`,
);

/**
 * A revision without content shares the content of the next one. So the content is first copied to the
 * previous revision if that has none, and `replacedBy` is copied to the next one as `madeBy`. Delete the
 * oldest rows first.
 */
const deletion = prepared(({ $client }) => [
  $client.query<unknown, { id: number }>(
    `UPDATE revisions SET fields = json_patch(revisions.fields,
       json_object('source', gone.fields -> '$.source', 'sourceType', gone.fields -> '$.sourceType'))
     FROM revisions AS gone
     WHERE gone.id = $id AND gone.fields -> '$.source' IS NOT NULL
       AND revisions.id = (SELECT max(id) FROM revisions WHERE post_id = gone.post_id AND id < gone.id)
       AND revisions.fields -> '$.source' IS NULL`,
  ),
  $client.query<unknown, { id: number }>(
    `UPDATE revisions SET fields = json_set(revisions.fields, '$.madeBy', gone.fields -> '$.replacedBy')
     FROM revisions AS gone
     WHERE gone.id = $id AND gone.fields ->> '$.replacedBy' IS NOT NULL
       AND revisions.id = (SELECT min(id) FROM revisions WHERE post_id = gone.post_id AND id > gone.id)
       AND revisions.fields ->> '$.madeBy' IS NULL`,
  ),
  $client.query<unknown, { id: number }>("DELETE FROM revisions WHERE id = $id"),
]);

const MAX_LISTED = 500;
/** Fields that `storeRevision` stores. `madeBy` is set once the previous revision was pruned. */
export type RevisionFields = Partial<Omit<Post, "category">> &
  Partial<Pick<Content, "source" | "sourceType">> & {
    /** Name, because the category may be deleted. */
    category?: string | null;
    replacedBy?: SavedBy | null;
    madeBy?: SavedBy | null;
  };

/** How a save changed the status or the sharing; "saved" if it changed neither, or if this is unknown. */
export type SavedAs = "saved" | PostRow["status"] | "scheduled" | "shared" | "unshared";

export type RevisionHistory = ReturnType<typeof revisionHistory>;

export function revisionHistory(platen: Platen, post: Post) {
  const rows = shownRows(platen, post);
  return {
    presentBy: rows.length === 0 ? post.madeBy : (rows[0]?.replacedBy ?? null),
    presentAs: savedAs(post, rows[0]),
    past: rows.map((row, index) => {
      const { id, title, updatedAt, madeBy } = row;
      const isFirst = index === rows.length - 1 && rows.length < MAX_LISTED;
      const by = madeBy ?? (isFirst ? post.madeBy : rows[index + 1]?.replacedBy) ?? null;
      // If `madeBy` is set, the previous revision was pruned, so the changes of this save are unknown.
      const madeAs = madeBy ? "saved" : savedAs(row, rows[index + 1]);
      return { id, title: title ?? "", madeAt: new Date(updatedAt), madeAs, madeBy: by };
    }),
  };
}

type State = Record<"updatedAt" | "publishedAt", Date | string | null> & Pick<ShownRow, "status" | "shareId">;

function savedAs(after: State, before: State | undefined): SavedAs {
  if (!before?.status || !after.status) return "saved";
  if (after.status !== before.status) return wasScheduled(after) ? "scheduled" : after.status;
  if (after.shareId === before.shareId) return "saved";
  return after.shareId === null ? "unshared" : "shared";
}

function wasScheduled({ status, updatedAt, publishedAt }: State): boolean {
  return status === "published" && new Date(publishedAt ?? 0) > new Date(updatedAt ?? 0);
}

interface ShownRow {
  id: number;
  title: string | null;
  updatedAt: string;
  publishedAt: string | null;
  madeBy: SavedBy | null;
  replacedBy: SavedBy | null;
  status: PostRow["status"] | null;
  shareId: string | null;
}

function shownRows({ db }: Platen, { id: postId }: Post): ShownRow[] {
  const isOfPost = eq(revisions.postId, postId);
  const found = db.select({ id: revisions.id, fields: SHOWN }).from(revisions).where(isOfPost);
  const rows = found.orderBy(desc(revisions.id)).limit(MAX_LISTED).all();
  return rows.map(({ id, fields }) => {
    const [title, updatedAt, publishedAt, madeBy, replacedBy, status, shareId] = JSON.parse(fields);
    return { id, title, updatedAt, publishedAt, madeBy, replacedBy, status, shareId };
  });
}

const SHOWN = sql<string>`json_extract(${revisions.fields}, '$.title', '$.updatedAt', '$.publishedAt', '$.madeBy', '$.replacedBy', '$.status', '$.shareId')`;

/** Leaves out status, time and slug. @throws Refusal (missing) */
export function changesToRevision(platen: Platen, post: Post, id: number): PostChanges {
  const chosen = requireFound(findRow(platen, revisions, { postId: post.id, id }), "revision");
  const fields = chosen.fields as RevisionFields;
  const { source, sourceType } = contentOfRevision(platen, post, id);
  return {
    title: fields.title,
    content: source,
    contentType: sourceType,
    category: fields.category,
    tags: fields.tags,
    ...plainFields(fields),
  };
}

function contentOfRevision(platen: Platen, { id: postId }: Post, id: number) {
  const hasSource = sql`json_type(${revisions.fields}, '$.source') IS NOT NULL`;
  const holdsContent = and(eq(revisions.postId, postId), gte(revisions.id, id), hasSource);
  const row = findRow(platen, revisions, holdsContent, revisions.id);
  return row ? (row.fields as RevisionFields) : contentOf(platen, postId);
}
