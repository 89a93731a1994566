import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { DAY } from "../../config/units";
import type { Platen } from "../../platen";

const MAX_GAP_MS = DAY;
const MISTRUST_MS = DAY;

/**
 * After a gap, the clock may be wrong, as in a computer without a battery, or the owner may have restored an
 * old backup. Deleting everything that seems expired at once would then lose data.
 * @param lastWriteAt from `lastWriteTime`
 * @returns a function that returns false for a day after a gap; call it at least once a day
 */
export function clockWatch(lastWriteAt: number): (platen: Platen) => boolean {
  let lastAt = lastWriteAt;
  let mistrustMs = 0;
  return ({ now }) => {
    const passed = now().getTime() - lastAt;
    lastAt += passed;
    mistrustMs = passed > MAX_GAP_MS ? MISTRUST_MS : mistrustMs - Math.max(0, passed);
    return mistrustMs <= 0;
  };
}

/** Opening the database may change this time. @returns milliseconds since 1970; 0 without a readable database */
export function lastWriteTime(folder: string): number {
  const files = ["platen.db", "platen.db-wal"].map((name) => join(folder, name)).filter(existsSync);
  return Math.max(0, ...files.map((file) => statSync(file).mtimeMs));
}
