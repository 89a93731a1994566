import { and, asc, eq, gt, inArray, sql } from "drizzle-orm";
import { keepingDataVersion } from "../../database/data-version";
import { prepared } from "../../database/prepared";
import { revisions } from "../../database/schema";
import { inTransaction } from "../../database/transactions";
import type { Platen } from "../../platen";
import { type KeptFields, saysContent } from "./versions";

const DAY = 24 * 60 * 60 * 1000;
/** So long each revision stays; then the last of a day; then the last of a month (UTC). In milliseconds. */
const ALL_FOR = DAY;
const DAILY_FOR = 31 * DAY;
/** Posts that are looked at in one go. */
const POSTS_AT_ONCE = 1000;

/** After which post to go on; all have had their turn at the end. */
const lookedAt = new WeakMap<Platen["db"], number>();

/** Deletes the revisions that stand too close together for their age, of some posts each time. */
export function thinRevisions(platen: Platen): void {
  const after = lookedAt.get(platen.db) ?? 0;
  const posts = postsAfter(platen)
    .all({ after })
    .map(({ postId }) => postId);
  keepingDataVersion(platen, () => {
    for (const postId of posts) thinPost(platen, postId);
  });
  lookedAt.set(platen.db, posts.length < POSTS_AT_ONCE ? 0 : (posts.at(-1) as number));
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
    .select({ id: revisions.id, replacedAt: revisions.replacedAt })
    .from(revisions)
    .where(eq(revisions.postId, sql.placeholder("postId")))
    .orderBy(asc(revisions.id))
    .prepare(),
);

function thinPost(platen: Platen, postId: number): void {
  const times = timesOf(platen).all({ postId });
  const kept = keptOf(times, platen.now());
  if (kept.size < times.length) inTransaction(platen, () => remove(platen, postId, kept));
}

/** The ids of those that stay. */
function keptOf(times: { id: number; replacedAt: Date }[], now: Date): Set<number> {
  const spans = new Map(times.map(({ id, replacedAt }) => [spanOf(id, replacedAt, now), id]));
  return new Set(spans.values());
}

/** What each is the only one of. */
function spanOf(id: number, at: Date, now: Date): string {
  const age = now.getTime() - at.getTime();
  if (age <= ALL_FOR) return `revision ${id}`;
  return at.toISOString().slice(0, age <= DAILY_FOR ? "2026-03-01".length : "2026-03".length);
}

/** What those that go kept for those that stay, goes over to them: the content of the ones before, the maker of the one after. */
function remove({ db }: Platen, postId: number, kept: Set<number>): void {
  const rows = db
    .select()
    .from(revisions)
    .where(eq(revisions.postId, postId))
    .orderBy(asc(revisions.id))
    .all();
  rows.forEach((row, index) => {
    if (!kept.has(row.id)) return;
    const next = rows.findIndex((one, at) => at > index && kept.has(one.id));
    const goneAfter = rows.slice(index + 1, next < 0 ? undefined : next);
    const said = !saysContent(row) && goneAfter.find(saysContent);
    const before = rows[index - 1];
    const maker = before && !kept.has(before.id) && (before.fields as KeptFields).replacedBy;
    if (!said && !maker) return;
    const { source, sourceType } = said ? (said.fields as KeptFields) : {};
    const fields = {
      ...row.fields,
      ...(said && { ...(source !== undefined && { source }), sourceType }),
      ...(maker && { madeBy: maker }),
    };
    const longId = said ? said.longId : row.longId;
    db.update(revisions).set({ fields, longId }).where(eq(revisions.id, row.id)).run();
  });
  const gone = rows.map(({ id }) => id).filter((id) => !kept.has(id));
  db.delete(revisions)
    .where(and(eq(revisions.postId, postId), inArray(revisions.id, gone)))
    .run();
}
