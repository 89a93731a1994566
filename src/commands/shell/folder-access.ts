import { accessSync, constants, existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../../errors";
import { assertDatabaseNotLost } from "../../upkeep/recovery/damaged-database";
import { CommandError, explainSystemError } from "./command-errors";

/**
 * @throws CommandError if the folder has no database, or this user may not use it
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

/** @returns why this user may not use the folder's database; null if access is allowed or there is no database */
export function explainNoAccess(folder: string, { isToBeWritten = true } = {}): string | null {
  try {
    accessSync(join(folder, "platen.db"), constants.R_OK | (isToBeWritten ? constants.W_OK : 0));
  } catch (error) {
    const code = errorCode(error);
    if (code === "EACCES" || code === "EPERM") return explainOwner(folder);
    if (code === "EROFS") return `${folder} cannot be used: ${explainSystemError(error)}.`;
  }
  return null;
}

/** Names the user who may use the folder, and the command to type. No full stop. */
function explainOwner(folder: string): string {
  const owner = ownerOf(join(folder, "platen.db")) ?? ownerOf(folder);
  if (owner === undefined) return `This user may not use ${folder}; run: sudo platen … --data ${folder}`;
  if (owner === "root") return `Only root may use ${folder}; run: sudo platen … --data ${folder}`;
  if (owner === userName(process.getuid?.() ?? -1))
    return `The owner of ${folder} cannot open it; type: chmod -R u+rwX ${folder}`;
  return `Only ${owner} may use ${folder}; run: sudo -u ${owner} platen … --data ${folder}`;
}

function ownerOf(path: string): string | undefined {
  try {
    return userName(statSync(path).uid);
  } catch {
    return undefined;
  }
}

/** The user's name, or "#1001" if the id has no name. sudo accepts both. */
function userName(uid: number): string {
  const users = readFileSync("/etc/passwd", "utf8").split("\n");
  return users.find((line) => line.split(":")[2] === String(uid))?.split(":")[0] ?? `#${uid}`;
}
