import { inSharedTransaction, inTransaction, unsynced } from "../../database/transactions";
import type { Platen } from "../../platen";
import { compactIndex, removeFromIndex } from "../../posts/search/search-index";
import { deleteDependentRows, removePosts } from "../../posts/trash/purging-posts";
import { countOwnedRows, findOwnedRows, hasRowIds } from "./owned-rows";
import type { RemovalProgress } from "./removal-progress";
import { deleteRemovalRow, type RemovedThing } from "./unfinished-removals";

/** That go in one transaction: in some milliseconds. */
const POSTS_AT_ONCE = 20;
const ROWS_AT_ONCE = 200;

export function countRows({ db }: Platen, { table, id }: RemovedThing): number {
  const belongings = findOwnedRows(db, table, id);
  return [...belongings.keys()].reduce((sum, each) => sum + countOwnedRows(db, belongings, each), 0);
}

/**
 * Deletes all that belongs to it, but for its own row, in pieces. Kept answers to writes (Idempotency-Key) of keys that live
 * on stay: a repeat must not write to another blog.
 */
export async function deleteMostRows(
  platen: Platen,
  thing: RemovedThing,
  work: RemovalProgress,
): Promise<void> {
  const belongings = findOwnedRows(platen.db, thing.table, thing.id);
  await unsynced(platen, async () => {
    await deletePosts(platen, belongings.get("posts") as string, work);
    for (const [table, rows] of [...belongings].reverse())
      if (table !== thing.table) await deleteRows(platen, table, rows, work);
  });
  // Waits for the disk, and with it all before: the files go only after the rows.
  inTransaction(platen, () => void platen.db.$client.run("UPDATE removals SET is_kept = is_kept"));
}

/** @param ofThem the condition that they meet */
async function deletePosts(platen: Platen, ofThem: string, work: RemovalProgress): Promise<void> {
  const some = platen.db.$client.query<{ id: number }, []>(
    `SELECT id FROM posts WHERE ${ofThem} LIMIT ${POSTS_AT_ONCE}`,
  );
  for (let ids = idsOf(some.all()); ids.length > 0; ids = idsOf(some.all())) {
    await deleteDependentRows(platen, ids);
    await inSharedTransaction(platen, () => {
      for (const id of ids) removeFromIndex(platen, id);
      removePosts(platen, ids);
    });
    await work.step(ids.length);
  }
  await compactIndex(platen);
}

const idsOf = (rows: { id: number }[]) => rows.map(({ id }) => id);

async function deleteRows(platen: Platen, table: string, rows: string, work: RemovalProgress): Promise<void> {
  const client = platen.db.$client;
  // A table without rowids has few left by now: they go with what they belong to.
  const some = hasRowIds(client, table)
    ? `rowid IN (SELECT rowid FROM ${table} WHERE ${rows} LIMIT ${ROWS_AT_ONCE})`
    : rows;
  // Asked first: where none is left the whole table is read, which nobody is to wait for.
  const any = client.query(`SELECT 1 FROM ${table} WHERE ${rows} LIMIT 1`);
  while (any.get()) {
    let changes = 0;
    await inSharedTransaction(platen, () => {
      changes = client.run(`DELETE FROM ${table} WHERE ${some}`).changes;
    });
    await work.step(changes);
  }
}

/** The last of it; then it is over. */
export function deleteRest(platen: Platen, thing: RemovedThing): void {
  const belongings = findOwnedRows(platen.db, thing.table, thing.id);
  inTransaction(platen, () => {
    for (const [table, rows] of [...belongings].reverse())
      platen.db.$client.run(`DELETE FROM ${table} WHERE ${rows}`);
    deleteRemovalRow(platen, thing);
  });
}
