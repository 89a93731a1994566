import type { Database as Sqlite } from "bun:sqlite";
import type { Platen } from "../../platen";

const damage = new WeakMap<Platen, string>();

/** What is wrong with its pages, by SQLite's `quick_check`, which reads all of them; null where it is whole. */
export function damageIn(client: Sqlite): string | null {
  try {
    const found = client.query<{ quick_check: string }, []>("PRAGMA quick_check(1)").get()?.quick_check;
    return found === "ok" ? null : (found ?? "it holds nothing").replace(/\s+/g, " ");
  } catch (fault) {
    return fault instanceof Error ? fault.message : String(fault);
  }
}

/** From now on the database is only read: every change is refused (see `unwritable` in errors). */
export function closeToWriting(platen: Platen, fault: string): void {
  damage.set(platen, fault);
  platen.db.$client.run("PRAGMA query_only = ON");
  platen.log(
    `The database is damaged (${fault}). It is only read from now on. Stop Platen and type: platen recover --data ${platen.config.data}`,
  );
}

/** What was found to be wrong with the database since the start. */
export function foundDamage(platen: Platen): string | null {
  return damage.get(platen) ?? null;
}
