/**
 * Which posts were written, by whatever statement: triggers tell. They belong to the connection, so of what another
 * process writes nothing is known but that it did.
 */
import { keepingDataVersion, othersVersionOfTurn } from "../../database/data-version";
import { prepared } from "../../database/prepared";
import type { Database, Platen } from "../../platen";

/** Tables whose rows belong to one post each, the column that says to which, and when a row's words or works change it. */
const OF_ONE = {
  posts: ["id", ["INSERT", "UPDATE", "DELETE"]],
  contents: ["post_id", ["INSERT", "UPDATE", "DELETE"]],
  post_tags: ["post_id", ["INSERT", "UPDATE", "DELETE"]],
  attachments: ["post_id", ["INSERT", "UPDATE", "DELETE"]],
} as const;
/** Tables whose rows any number of posts show; a new row is nobody's yet, but a blog may take the first one's address. */
const OF_MANY = {
  blobs: ["UPDATE"],
  tags: ["UPDATE"],
  categories: ["UPDATE"],
  blogs: ["INSERT", "UPDATE", "DELETE"],
  // From its beginning to its end a blog that is being removed is nowhere, the first one's address is another's.
  removals: ["INSERT", "DELETE"],
};
/** In the place of a post's id: what any of them shows has changed, but which there are, and what is found by which words, has not. */
export const ANY = 0;
/** Changes remembered; who has not asked for so long begins anew. */
const MOST_REMEMBERED = 500;

/** The changes of a database, in their order: so many in all, of which the last are remembered. */
interface Remembered {
  count: number;
  last: number[];
  byOthers: number;
}
const remembered = new WeakMap<Database, Remembered>();

interface Changes {
  /** Of posts, or ANY; null: any of them may have changed in any way. */
  ids: number[] | null;
  /** What to ask with the next time. */
  now: number;
}

/**
 * What has changed since this was asked last; not to be asked within a transaction, which may take it back.
 * @param since `now` of that time
 */
export function changesSince(platen: Platen, since: number | undefined): Changes {
  const changes = remembered.getOrInsertComputed(platen.db, (db) => {
    tellOfChanges(db);
    return { count: 0, last: [], byOthers: othersVersionOfTurn(platen) };
  });
  takeInNew(platen, changes);
  const { count, last } = changes;
  const missed = count - (since ?? Number.NEGATIVE_INFINITY);
  return {
    ids: missed > last.length ? null : last.slice(last.length - missed),
    now: count,
  };
}

function takeInNew(platen: Platen, changes: Remembered): void {
  const byOthers = othersVersionOfTurn(platen);
  const ids = changedPosts(platen).values().flat() as number[];
  if (ids.length > 0) keepingDataVersion(platen, () => void forgetChanged(platen).run());
  changes.count += ids.length;
  changes.last.push(...ids);
  if (changes.last.length > MOST_REMEMBERED) changes.last.splice(0, changes.last.length - MOST_REMEMBERED);
  if (byOthers === changes.byOthers) return;
  changes.byOthers = byOthers;
  changes.count++;
  changes.last = [];
}

// One more than are remembered is as good as all: whoever asks begins anew.
const changedPosts = prepared((db) =>
  db.$client.query(`SELECT id FROM changed_posts LIMIT ${MOST_REMEMBERED + 1}`),
);
const forgetChanged = prepared((db) => db.$client.query("DELETE FROM changed_posts"));

function tellOfChanges({ $client }: Database): void {
  const tell = (table: string, event: string, ids: string[]) => {
    // No "OR IGNORE": a statement that fires a trigger has its own way with conflicts, also in what the trigger does.
    const notes = ids.map((id) => `INSERT INTO changed_posts SELECT ${id} WHERE ${id} NOT IN changed_posts;`);
    $client.run(
      `CREATE TEMP TRIGGER ${table}_${event} AFTER ${event} ON ${table} BEGIN ${notes.join(" ")} END`,
    );
  };
  $client.run("CREATE TEMP TABLE changed_posts (id INTEGER PRIMARY KEY)");
  const rows = { INSERT: ["new"], UPDATE: ["old", "new"], DELETE: ["old"] };
  for (const [table, [id, events]] of Object.entries(OF_ONE))
    for (const event of events)
      tell(
        table,
        event,
        rows[event].map((row) => `${row}.${id}`),
      );
  for (const [table, events] of Object.entries(OF_MANY))
    for (const event of events) tell(table, event, [String(ANY)]);
}
