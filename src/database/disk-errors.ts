import { asDatabaseDamaged, asDiskNotWritable, asTooManyOpenFiles } from "../errors";
import type { Database, Platen } from "../platen";

const failedToWrite = new WeakSet<Database>();
/**
 * Writes one page to the WAL without changing data. `total_changes()` does not count this write, so caches
 * stay valid.
 */
export const REWRITE_FIRST_PAGE = "PRAGMA user_version = 0";

export function recordDiskError({ db }: Platen, error: unknown): void {
  if (!asTooManyOpenFiles(error) && (asDiskNotWritable(error) ?? asDatabaseDamaged(error)))
    failedToWrite.add(db);
}

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
