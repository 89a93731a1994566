import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Database, Platen } from "../../platen";
import { chownToFolderOwner } from "../../runtime/files";

/** File in the data folder that tells commands about the damage that the server found. */
const DAMAGE_MARK = ".damaged";

const damageOf = new WeakMap<Platen, string>();

/** Makes the database read-only and marks it as damaged. */
export function markDamaged(platen: Platen, damage: string): void {
  damageOf.set(platen, damage);
  makeReadOnly(platen.db);
  const { data } = platen.config;
  const mark = join(data, DAMAGE_MARK);
  writeFileSync(mark, `${damage}\n`, { mode: 0o600 });
  chownToFolderOwner(data, mark);
  platen.log(
    `The database is damaged (${damage}) and now read-only. Stop Platen and type: platen recover --data ${data}`,
  );
}

export function makeReadOnly(db: Database): void {
  db.$client.run("PRAGMA query_only = ON");
}

/** Whether a server found the database damaged, and no server has checked it since. */
export function isMarkedDamaged(folder: string): boolean {
  return existsSync(join(folder, DAMAGE_MARK));
}

export function clearDamageMark(folder: string): void {
  rmSync(join(folder, DAMAGE_MARK), { force: true });
}

/** Description of the damage found since the start, or null. */
export function getDamage(platen: Platen): string | null {
  return damageOf.get(platen) ?? null;
}
