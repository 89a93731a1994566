/**
 * What was made of posts, kept until anything that belongs to one of them is written, by whatever statement: triggers
 * tell which posts those are. They belong to the connection, so what other processes write empties all.
 */
import { keepingDataVersion, othersVersionOfTurn } from "../../database/data-version";
import { prepared } from "../../database/prepared";
import type { Database, Platen } from "../../platen";

/** Tables whose rows belong to one post each, and the column that says to which. */
const OF_ONE = { posts: "id", contents: "post_id", post_tags: "post_id", attachments: "post_id" };
/** Tables whose rows any number of posts show; a new row is nobody's yet, but a blog may take the first one's address. */
const OF_MANY = {
  blobs: ["UPDATE"],
  tags: ["UPDATE"],
  categories: ["UPDATE"],
  blogs: ["INSERT", "UPDATE", "DELETE"],
};
/** In the place of a post's id. */
const ANY = 0;

export class KeptByPost<Made extends { size: number }> {
  private readonly kept = new Map<number, Made>();
  private size = 0;
  private byOthers = -1;

  /** @param mostBytes of what is kept; what is unused longest goes first */
  constructor(
    private readonly platen: Platen,
    private readonly mostBytes: number,
  ) {
    tellOfChanges(platen.db);
  }

  /** What is kept of these posts; what a transaction sees may be taken back. */
  known(ids: number[]): Map<number, Made> {
    const known = new Map<number, Made>();
    if (this.platen.db.$client.inTransaction) return known;
    this.forgetWhatChanged();
    for (const id of ids) {
      const made = this.kept.get(id);
      if (!made) continue;
      known.set(id, made);
      this.kept.delete(id);
      this.kept.set(id, made);
    }
    return known;
  }

  /** To be called in the turn of the event loop in which `known` was, and it was made. */
  keep(id: number, made: Made): void {
    if (this.platen.db.$client.inTransaction) return;
    this.forget(id);
    this.kept.set(id, made);
    this.size += made.size;
    for (const oldest of this.kept.keys()) {
      if (this.size <= this.mostBytes) return;
      this.forget(oldest);
    }
  }

  private forgetWhatChanged(): void {
    const byOthers = othersVersionOfTurn(this.platen);
    const changed = changedPosts(this.platen);
    if (byOthers !== this.byOthers || changed.includes(ANY)) {
      this.kept.clear();
      this.size = 0;
    }
    this.byOthers = byOthers;
    for (const id of changed) this.forget(id);
  }

  private forget(id: number): void {
    this.size -= this.kept.get(id)?.size ?? 0;
    this.kept.delete(id);
  }
}

function tellOfChanges({ $client }: Database): void {
  const tell = (table: string, event: string, ids: string[]) => {
    // No "OR IGNORE": a statement that fires a trigger has its own way with conflicts, also in what the trigger does.
    const notes = ids.map((id) => `INSERT INTO changed_posts SELECT ${id} WHERE ${id} NOT IN changed_posts;`);
    $client.run(
      `CREATE TEMP TRIGGER ${table}_${event} AFTER ${event} ON ${table} BEGIN ${notes.join(" ")} END`,
    );
  };
  $client.run("CREATE TEMP TABLE changed_posts (id INTEGER PRIMARY KEY)");
  for (const [table, id] of Object.entries(OF_ONE)) {
    tell(table, "INSERT", [`new.${id}`]);
    tell(table, "UPDATE", [`old.${id}`, `new.${id}`]);
    tell(table, "DELETE", [`old.${id}`]);
  }
  for (const [table, events] of Object.entries(OF_MANY))
    for (const event of events) tell(table, event, [String(ANY)]);
}

/** Since this was last asked. */
function changedPosts(platen: Platen): number[] {
  const changed = changes(platen).values().flat() as number[];
  if (changed.length > 0) keepingDataVersion(platen, () => void noChanges(platen).run());
  return changed;
}

const changes = prepared((db) => db.$client.query("SELECT id FROM changed_posts"));
const noChanges = prepared((db) => db.$client.query("DELETE FROM changed_posts"));
