import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Database, Platen } from "../../platen";
import { chownToFolderOwner } from "../../runtime/files";

/** Holds what was found, for commands. */
const MARK = ".damaged";

const damage = new WeakMap<Platen, string>();

/** From now on the database is only read: every change is refused (see `unwritable` in errors). */
export function markDamaged(platen: Platen, fault: string): void {
  damage.set(platen, fault);
  makeReadOnly(platen.db);
  const { data } = platen.config;
  writeFileSync(join(data, MARK), `${fault}\n`, { mode: 0o600 });
  chownToFolderOwner(data, join(data, MARK));
  platen.log(
    `The database is damaged (${fault}). It is only read from now on. Stop Platen and type: platen recover --data ${data}`,
  );
}

export function makeReadOnly(db: Database): void {
  db.$client.run("PRAGMA query_only = ON");
}

/** Has a server found the folder's database damaged, and none looked again since? */
export function isMarkedDamaged(folder: string): boolean {
  return existsSync(join(folder, MARK));
}

/** It is looked at again, or another database is in its place. */
export function clearDamageMark(folder: string): void {
  rmSync(join(folder, MARK), { force: true });
}

/** What was found to be wrong with the database since the start. */
export function getDamage(platen: Platen): string | null {
  return damage.get(platen) ?? null;
}
