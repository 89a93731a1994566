import { accessSync, constants, existsSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../../errors";
import { assertDatabaseNotLost } from "../../upkeep/recovery/damaged-database";
import { CommandError, explainSystemError } from "./command-errors";

/**
 * @throws CommandError if the folder has no database, or this user cannot use it
 * @throws DatabaseError if the folder has lost its database
 */
export function assertDatabaseExists(folder: string, { isToBeWritten = true } = {}): void {
  const problem = explainNoAccess(folder, { isToBeWritten });
  if (problem !== null) throw new CommandError(problem);
  assertDatabaseNotLost(folder);
  if (!existsSync(join(folder, "platen.db")))
    throw new CommandError(
      `There is no Platen data in ${folder}; set the folder with --data or PLATEN_DATA.`,
    );
}

/**
 * @returns why this user may not use the database; null if the user may, or for other problems such as a
 * missing database
 */
export function explainNoAccess(folder: string, { isToBeWritten = true } = {}): string | null {
  try {
    accessSync(join(folder, "platen.db"), constants.R_OK | (isToBeWritten ? constants.W_OK : 0));
  } catch (error) {
    const code = errorCode(error);
    if (code === "EACCES" || code === "EPERM")
      return `This user may not use ${folder}; run: sudo platen … --data ${folder}`;
    if (code === "EROFS") return `${folder} cannot be used: ${explainSystemError(error)}.`;
  }
  return null;
}
