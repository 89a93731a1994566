import { asc, eq, gt, sql } from "drizzle-orm";
import { keepingDataVersion } from "../../database/data-version";
import { among, prepared, updating } from "../../database/prepared";
import { revisions } from "../../database/schema";
import { inUnsyncedTransaction } from "../../database/transactions";
import type { Platen } from "../../platen";
import { DAY } from "../../units";
import { revisionsAdded } from "../parts/kept-revisions";
import { leaveLongContent } from "../parts/long-contents";
import { type KeptFields, saysContent } from "./revisions-in-order";

/**
 * So long each revision stays, of the last of a post that are at most so many, and of those before the last of an hour;
 * then the last of a day; then the last of a month (UTC). In milliseconds.
 */
const ALL_FOR = DAY;
const MOST_OF_ALL = 100;
const DAILY_FOR = 31 * DAY;
/** Posts that are looked at in one go. */
const POSTS_AT_ONCE = 1000;

/** After which post to go on; all have had their turn at the end. */
const lookedAt = new WeakMap<Platen["db"], number>();

/** What is deleted in one go, in bytes: twenty milliseconds' work. */
const DELETED_AT_ONCE = 3_000_000;
/** What a small revision costs. */
const COST = 50_000;

/**
 * Deletes the revisions that stand too close together for their age, of some posts each time.
 * @returns whether it left some of them for the next call
 */
export function thinRevisions(platen: Platen): boolean {
  const after = lookedAt.get(platen.db) ?? 0;
  const posts = postsAfter(platen)
    .all({ after })
    .map(({ postId }) => postId);
  const unfinished = thinRevisionsOf(platen, posts);
  const next = posts.length < POSTS_AT_ONCE ? 0 : (posts.at(-1) as number);
  lookedAt.set(platen.db, unfinished === undefined ? next : unfinished - 1);
  return unfinished !== undefined;
}

/** How many a post gets before it is its turn out of turn. */
const ADDED = 20;

/** Has `thinQuickRevisions` anything to do? */
export function areRevisionsQuick(platen: Platen): boolean {
  return revisionsAdded(platen)
    .values()
    .some((count) => count >= ADDED);
}

/**
 * The same of posts that get many, some each time: a program that saves a post again and again would fill the disk within
 * the hour. To be called every second, where there are any.
 */
export function thinQuickRevisions(platen: Platen): boolean {
  const added = revisionsAdded(platen);
  const posts = [...added].flatMap(([postId, count]) => (count >= ADDED ? [postId] : []));
  const unfinished = thinRevisionsOf(platen, posts);
  const done = unfinished === undefined ? posts : posts.slice(0, posts.indexOf(unfinished));
  for (const postId of done) added.delete(postId);
  return unfinished !== undefined;
}

/** @returns the first that is not done */
function thinRevisionsOf(platen: Platen, posts: number[]): number | undefined {
  let left = DELETED_AT_ONCE;
  const isDone = (postId: number) => {
    let cost = 0;
    do {
      cost = thinPost(platen, postId);
      left -= cost;
    } while (cost > 0 && left > 0);
    return left > 0;
  };
  const thin = () => posts.find((postId) => !isDone(postId));
  return keepingDataVersion(platen, () => inUnsyncedTransaction(platen, thin));
}

const postsAfter = prepared((db) =>
  db
    .selectDistinct({ postId: revisions.postId })
    .from(revisions)
    .where(gt(revisions.postId, sql.placeholder("after")))
    .orderBy(asc(revisions.postId))
    .limit(POSTS_AT_ONCE)
    .prepare(),
);
const timesOf = prepared((db) =>
  db
    .select({
      id: revisions.id,
      replacedAt: revisions.replacedAt,
      bytes: sql<number>`octet_length(${revisions.fields})`,
    })
    .from(revisions)
    .where(eq(revisions.postId, sql.placeholder("postId")))
    .orderBy(asc(revisions.id))
    .prepare(),
);

/** Deletes the first that are to go and stand side by side. @returns what that cost; 0: none is to go */
function thinPost(platen: Platen, postId: number): number {
  const times = timesOf(platen).all({ postId });
  const kept = keptOf(times, platen.now());
  const first = times.findIndex(({ id }) => !kept.has(id));
  if (first < 0) return 0;
  let cost = 0;
  let end = first;
  for (; end < times.length && cost < DELETED_AT_ONCE / 10; end++) {
    const { id, bytes } = times[end] as (typeof times)[number];
    if (kept.has(id)) break;
    cost += COST + bytes;
  }
  const gone = new Set(times.slice(first, end).map(({ id }) => id));
  const beside = [times[first - 1], times[end]].flatMap((one) => (one ? [one.id] : []));
  remove(platen, [...gone, ...beside], gone);
  return cost;
}

/** The ids of those that stay. */
function keptOf(times: { id: number; replacedAt: Date }[], now: Date): Set<number> {
  const isOneOfLast = (place: number) => place >= times.length - MOST_OF_ALL;
  const spans = new Map(
    times.map(({ id, replacedAt }, place) => [spanOf(id, replacedAt, isOneOfLast(place), now), id]),
  );
  return new Set(spans.values());
}

/** What each is the only one of. */
function spanOf(id: number, at: Date, isOneOfLast: boolean, now: Date): string {
  const age = now.getTime() - at.getTime();
  if (age <= ALL_FOR)
    return isOneOfLast ? `revision ${id}` : at.toISOString().slice(0, "2026-03-01T12".length);
  return at.toISOString().slice(0, age <= DAILY_FOR ? "2026-03-01".length : "2026-03".length);
}

/**
 * What those that go kept for those that stay, goes over to them: the content of the ones before, the maker of the one after.
 * @param ids of those that go, and of those beside them
 */
function remove(platen: Platen, ids: number[], gone: Set<number>): void {
  const rows = withIds(platen).all({ ids: JSON.stringify(ids) });
  rows.forEach((row, index) => {
    if (gone.has(row.id)) return;
    const next = rows.findIndex((one, at) => at > index && !gone.has(one.id));
    const goneAfter = rows.slice(index + 1, next < 0 ? undefined : next);
    const said = !saysContent(row) && goneAfter.find(saysContent);
    const before = rows[index - 1];
    const maker = before && gone.has(before.id) && (before.fields as KeptFields).replacedBy;
    if (!said && !maker) return;
    const { source, sourceType } = said ? (said.fields as KeptFields) : {};
    const fields = {
      ...row.fields,
      ...(said && { ...(source !== undefined && { source }), sourceType }),
      ...(maker && { madeBy: maker }),
    };
    const longId = said ? said.longId : row.longId;
    updateRevision(platen, row.id, { fields, longId });
  });
  deleteWithIds(platen).run({ ids: JSON.stringify([...gone]) });
  for (const { id, longId } of rows) if (longId !== null && gone.has(id)) leaveLongContent(platen, longId);
}

const withIds = prepared((db) =>
  db.select().from(revisions).where(among(revisions.id, "ids")).orderBy(asc(revisions.id)).prepare(),
);
const updateRevision = updating(revisions);
const deleteWithIds = prepared((db) => db.delete(revisions).where(among(revisions.id, "ids")).prepare());
