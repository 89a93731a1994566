import { existsSync, readdirSync } from "node:fs";
import { hasAccounts } from "../accounts/accounts";
import { DatabaseFault } from "../errors";
import { FOLDER_NAME, mediaFolder } from "../media/files/media-folder";
import type { Platen } from "../platen";

/**
 * To be called before anybody may set Platen up: uploads beside a database without an account are somebody's, whose
 * database was lost.
 * @throws DatabaseFault where that is so
 */
export function demandDatabaseOfUploads(platen: Platen): void {
  if (hasAccounts(platen) || !existsSync(mediaFolder(platen))) return;
  const uploads = readdirSync(mediaFolder(platen)).filter((name) => FOLDER_NAME.test(name)).length;
  if (uploads > 0)
    throw new DatabaseFault(
      `${platen.config.data}/media holds uploads (${uploads}), but platen.db beside it holds no account: their database is lost. Put it back from a copy of the folder; to begin anew, move media away.`,
    );
}
