import { inSharedTransaction, inTransaction, unsynced } from "../../database/transactions";
import type { Platen } from "../../platen";
import { compactIndex, removeFromIndex } from "../../posts/search/search-index";
import { deleteDependentRows, removePosts } from "../../posts/trash/trash";
import { findOwnedRows, hasRowIds, type Step } from "./owned-rows";
import { deleteRemovalRow, type RemovedThing } from "./unfinished-removals";

/** Maximum number of posts per transaction, so that each takes only a few milliseconds. */
const POSTS_PER_COMMIT = 20;
const ROWS_PER_COMMIT = 200;

/**
 * Deletes everything except the blog's or account's own row, in small transactions.
 * Stored responses (Idempotency-Key) of other keys stay, so that a repeated request writes nothing.
 */
export async function deleteMostRows(platen: Platen, thing: RemovedThing, step: Step): Promise<void> {
  const belongings = findOwnedRows(platen.db, thing.table, thing.id);
  await unsynced(platen, async () => {
    await deletePosts(platen, belongings.get("posts") as string, step);
    for (const [table, rows] of [...belongings].reverse())
      if (table !== thing.table) await deleteRows(platen, table, rows, step);
  });
  // This commit is synced: the files are deleted only after the rows are durably deleted.
  inTransaction(platen, () => void platen.db.$client.run("UPDATE removals SET is_kept = is_kept"));
}

/** @param ofThem SQL condition for the posts */
async function deletePosts(platen: Platen, ofThem: string, step: Step): Promise<void> {
  const some = platen.db.$client.query<{ id: number }, []>(
    `SELECT id FROM posts WHERE ${ofThem} LIMIT ${POSTS_PER_COMMIT}`,
  );
  for (let ids = idsOf(some.all()); ids.length > 0; ids = idsOf(some.all())) {
    await deleteDependentRows(platen, ids);
    await inSharedTransaction(platen, () => {
      for (const id of ids) removeFromIndex(platen, id);
      removePosts(platen, ids);
    });
    await step();
  }
  await compactIndex(platen);
}

const idsOf = (rows: { id: number }[]) => rows.map(({ id }) => id);

async function deleteRows(platen: Platen, table: string, rows: string, step: Step): Promise<void> {
  const client = platen.db.$client;
  // Tables without rowid have few rows left.
  const some = hasRowIds(client, table)
    ? `rowid IN (SELECT rowid FROM ${table} WHERE ${rows} LIMIT ${ROWS_PER_COMMIT})`
    : rows;
  // Checked first, because a DELETE without matches would scan the table while holding the lock.
  const any = client.query(`SELECT 1 FROM ${table} WHERE ${rows} LIMIT 1`);
  while (any.get()) {
    await inSharedTransaction(platen, () => void client.run(`DELETE FROM ${table} WHERE ${some}`));
    await step();
  }
}

/** Deletes the remaining rows and the record of the removal. */
export function deleteRest(platen: Platen, thing: RemovedThing): void {
  const belongings = findOwnedRows(platen.db, thing.table, thing.id);
  inTransaction(platen, () => {
    for (const [table, rows] of [...belongings].reverse())
      platen.db.$client.run(`DELETE FROM ${table} WHERE ${rows}`);
    deleteRemovalRow(platen, thing);
  });
}
