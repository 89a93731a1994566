import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { hasAccounts } from "../../accounts/accounts";
import { DatabaseError } from "../../errors";
import { FOLDER_NAME } from "../../media/files/media-folder";
import type { Platen } from "../../platen";
import { snapshotFile } from "./snapshots";

/**
 * To be called before the folder's database is opened or made: SQLite deletes the log beside one that is empty or new,
 * which may hold all there is, and uploads beside it are somebody's.
 * @throws DatabaseError where the folder has lost its database
 */
export function assertDatabaseNotLost(folder: string): void {
  const size = sizeOf(join(folder, "platen.db"));
  if (size) return;
  const state = size === 0 ? "empty" : "missing";
  if (sizeOf(join(folder, "platen.db-wal")))
    throw new DatabaseError(
      `${join(folder, "platen.db")} is ${state}, but platen.db-wal beside it holds what was written last. ${cure(folder)}; leave platen.db-wal where it is.`,
    );
  const uploads = uploadsIn(folder);
  if (uploads > 0) throw lostDatabase(folder, uploads);
}

/**
 * To be called before anybody may set Platen up: uploads beside a database without an account are somebody's, whose
 * database was lost.
 * @throws DatabaseError where that is so
 */
export function assertUploadsHaveAccount(platen: Platen): void {
  const { data } = platen.config;
  const uploads = hasAccounts(platen) ? 0 : uploadsIn(data);
  if (uploads > 0) throw lostDatabase(data, uploads);
}

function lostDatabase(folder: string, uploads: number): DatabaseError {
  return new DatabaseError(
    `${folder}/media holds uploads (${uploads}), but platen.db beside it holds no account: their database is lost. ${cure(folder)}; to begin anew, move media away.`,
  );
}

function cure(folder: string): string {
  const back = "ut it back from a copy of the folder";
  return existsSync(snapshotFile(folder)) ? `Type: platen recover, or p${back}` : `P${back}`;
}

function uploadsIn(folder: string): number {
  const media = join(folder, "media");
  return existsSync(media) ? readdirSync(media).filter((name) => FOLDER_NAME.test(name)).length : 0;
}

/** In bytes; undefined where there is no such file. */
function sizeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.size;
}
