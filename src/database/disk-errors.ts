import { asDatabaseDamaged, asDiskNotWritable, asTooManyOpenFiles } from "../errors";
import type { Database, Platen } from "../platen";

/** Databases in which a write failed because of a broken or read-only disk, or because of damage. */
const failedToWrite = new WeakSet<Database>();
/**
 * Writes the first page to the WAL unchanged. `total_changes()` does not count this write, so caches stay
 * valid.
 */
export const REWRITE_FIRST_PAGE = "PRAGMA user_version = 0";

/** Records only errors of a broken or read-only disk, and of a damaged database. */
export function recordDiskError({ db }: Platen, error: unknown): void {
  if (!asTooManyOpenFiles(error) && (asDiskNotWritable(error) ?? asDatabaseDamaged(error)))
    failedToWrite.add(db);
}

/** If a write failed, tries another. */
export function isDatabaseWritable({ db }: Platen): boolean {
  if (!failedToWrite.has(db)) return true;
  try {
    db.$client.run(REWRITE_FIRST_PAGE);
    failedToWrite.delete(db);
    return true;
  } catch {
    return false;
  }
}
