import type { KeptBackups } from "../../config/config";
import { DAY } from "../../config/units";
import type { BackupStore } from "./backup-contents";

/** Ignores backups later than `made`, because the clock was wrong when they were made. */
export async function deleteOldBackups(store: BackupStore, keep: KeptBackups, made: string): Promise<void> {
  const names = (await store.names()).filter((name) => name <= made);
  await store.remove(selectOldBackups(names, keep));
}

/**
 * Keeps the newest backup of each recent day, week (from Monday) and month, in UTC. Periods without a backup
 * do not count, so a machine that was off for a long time keeps its backups.
 * @param names oldest first
 */
export function selectOldBackups(names: readonly string[], keep: KeptBackups): string[] {
  const kept = new Set<string>();
  for (const [period, periodOf] of Object.entries(PERIODS)) {
    const newest = new Map(names.map((name) => [periodOf(name), name]));
    const count = keep[period as keyof KeptBackups] ?? 0;
    for (const name of [...newest.values()].slice(Math.max(newest.size - count, 0))) kept.add(name);
  }
  return names.filter((name) => !kept.has(name));
}

const PERIODS: Record<keyof KeptBackups, (name: string) => string | number> = {
  d: (name) => name.slice(0, 10),
  // 1970 began on a Thursday.
  w: (name) => Math.floor((Date.parse(name.slice(0, 10)) / DAY + 3) / 7),
  m: (name) => name.slice(0, 7),
};
