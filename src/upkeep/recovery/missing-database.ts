import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { hasAccounts } from "../../accounts/accounts";
import { DatabaseError } from "../../errors";
import { FOLDER_NAME } from "../../media/files/media-folder";
import type { Platen } from "../../platen";
import { snapshotFile } from "./snapshots";

/**
 * Call before opening the database, because SQLite deletes the WAL of an empty or new one.
 * @throws DatabaseError if the folder has lost its database
 */
export function assertDatabaseNotLost(folder: string): void {
  const size = fileSize(join(folder, "platen.db"));
  if (size) return;
  const state = size === 0 ? "empty" : "missing";
  if (fileSize(join(folder, "platen.db-wal")))
    throw new DatabaseError(
      `${join(folder, "platen.db")} is ${state}, but platen.db-wal holds recent changes. ${recoveryAdvice(folder)}; leave platen.db-wal in place.`,
    );
  const uploads = countUploads(folder);
  if (uploads > 0) throw lostDatabaseError(folder, uploads);
}

/** @throws DatabaseError if there are uploads but no account: the uploads' database was lost */
export function assertUploadsHaveAccount(platen: Platen): void {
  const { data } = platen.config;
  const uploads = hasAccounts(platen) ? 0 : countUploads(data);
  if (uploads > 0) throw lostDatabaseError(data, uploads);
}

function lostDatabaseError(folder: string, uploads: number): DatabaseError {
  return new DatabaseError(
    `${folder}/media holds uploads (${uploads}), but platen.db holds no account: their database is lost. ${recoveryAdvice(folder)}; to start over, move media away.`,
  );
}

function recoveryAdvice(folder: string): string {
  const advice = "restore platen.db from a copy of the folder";
  return existsSync(snapshotFile(folder)) ? `Type: platen recover, or ${advice}` : `R${advice.slice(1)}`;
}

function countUploads(folder: string): number {
  const media = join(folder, "media");
  return existsSync(media) ? readdirSync(media).filter((name) => FOLDER_NAME.test(name)).length : 0;
}

function fileSize(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.size;
}
