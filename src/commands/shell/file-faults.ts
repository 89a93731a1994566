import { accessSync, constants, existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { assertDatabaseNotLost } from "../../upkeep/recovery/missing-database";
import { CommandFault } from "./command-faults";
import { codeOf, reasonOf } from "./system-faults";

const NOT_ALLOWED = ["EACCES", "EPERM"];

/**
 * @param isToBeWritten as well as read
 * @throws CommandFault where this user has no access to the folder's database, or there is none; DatabaseFault where it was lost
 */
export function demandDatabase(folder: string, { isToBeWritten = true } = {}): void {
  const fault = accessFault(folder, { isToBeWritten });
  if (fault !== null) throw new CommandFault(fault);
  assertDatabaseNotLost(folder);
  if (!existsSync(join(folder, "platen.db")))
    throw new CommandFault(`There is no Platen in ${folder}; name its folder with --data or PLATEN_DATA.`);
}

/** Why this user has no access to the folder's database, in a sentence; null where it may be used, or made. */
export function accessFault(folder: string, { isToBeWritten = true } = {}): string | null {
  try {
    accessSync(join(folder, "platen.db"), constants.R_OK | (isToBeWritten ? constants.W_OK : 0));
  } catch (fault) {
    const code = codeOf(fault);
    if (NOT_ALLOWED.includes(code)) return belongsTo(folder);
    if (code === "EROFS") return `${folder} cannot be used: ${reasonOf(fault)}.`;
  }
  return null;
}

/** Whom a folder, or the database in it, belongs to that this user may not use, and what to type; without a full stop. */
function belongsTo(folder: string): string {
  const owner = ownerOf(join(folder, "platen.db")) ?? ownerOf(folder);
  if (owner === undefined) return `This user may not use ${folder}; type: sudo platen … --data ${folder}`;
  if (owner === "root") return `Only root may use ${folder}; type: sudo platen … --data ${folder}`;
  if (owner === userWithId(process.getuid?.() ?? -1))
    return `${folder} is closed to its own user; type: chmod -R u+rwX ${folder}`;
  return `Only ${owner} may use ${folder}; type: sudo -u ${owner} platen … --data ${folder}`;
}

/** Undefined where even that may not be seen. */
function ownerOf(path: string): string | undefined {
  try {
    return userWithId(statSync(path).uid);
  } catch {
    return undefined;
  }
}

/** The user's name; "#1001" where there is none, as sudo takes both. */
function userWithId(uid: number): string {
  const users = readFileSync("/etc/passwd", "utf8").split("\n");
  return users.find((line) => line.split(":")[2] === String(uid))?.split(":")[0] ?? `#${uid}`;
}
