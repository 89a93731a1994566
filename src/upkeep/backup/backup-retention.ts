import type { KeptBackups } from "../../config/backup-settings";
import { DAY } from "../../config/units";
import type { BackupStore } from "./backup-store";

/** Deletes old and unfinished backups. */
export async function deleteOldBackups(store: BackupStore, keep: KeptBackups): Promise<void> {
  await store.remove(selectOldBackups(await store.names(), keep));
}

/**
 * Selects the backups to delete: all except the newest of each recent day, week (from Monday) and month, in UTC.
 * Only periods with a backup count, so a machine that was off for long loses none.
 * @param names oldest first
 */
export function selectOldBackups(names: readonly string[], keep: KeptBackups): string[] {
  const kept = new Set<string>();
  for (const [period, periodOf] of Object.entries(PERIODS)) {
    const newest = new Map(names.map((name) => [periodOf(name), name]));
    const count = keep[period as keyof KeptBackups] ?? 0;
    for (const name of [...newest.values()].slice(newest.size - count)) kept.add(name);
  }
  return names.filter((name) => !kept.has(name));
}

const PERIODS: Record<keyof KeptBackups, (name: string) => string | number> = {
  d: (name) => name.slice(0, 10),
  // 1970 began on a Thursday.
  w: (name) => Math.floor((Date.parse(name.slice(0, 10)) / DAY + 3) / 7),
  m: (name) => name.slice(0, 7),
};
