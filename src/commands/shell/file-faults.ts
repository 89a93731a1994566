import { accessSync, constants, existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { CommandFault } from "./command-faults";

const NOT_ALLOWED = ["EACCES", "EPERM"];

/** What the system's codes mean, to follow a colon. */
const REASONS: Record<string, string> = {
  EACCES: "this user is not allowed to",
  EPERM: "this user is not allowed to",
  EISDIR: "it is a folder",
  ENOENT: "there is no such file",
  ENOTDIR: "its path leads through a file as if that were a folder",
  EROFS: "the disk is read-only",
  SQLITE_CANTOPEN: "its platen.db cannot be opened",
  SQLITE_NOTADB: "its platen.db is no database",
  SQLITE_READONLY: "its platen.db may not be written",
};

/** Why a file cannot be used, in plain words; the system's own where there are none. */
export function reasonOf(fault: unknown): string {
  return REASONS[codeOf(fault)] ?? (fault instanceof Error ? fault.message : String(fault));
}

/**
 * @param isToBeWritten as well as read
 * @throws CommandFault where this user has no access to the folder's database, or there is none
 */
export function demandDatabase(folder: string, { isToBeWritten = true } = {}): void {
  const fault = accessFault(folder, { isToBeWritten });
  if (fault !== null) throw new CommandFault(fault);
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

/** Whom a folder belongs to that this user may not use, and what to type; without a full stop. */
function belongsTo(folder: string): string {
  const owner = ownerOf(folder);
  if (owner === undefined || owner === "root")
    return `This user may not use ${folder}; type: sudo platen … --data ${folder}`;
  return `Only ${owner} may use ${folder}; type: sudo -u ${owner} platen … --data ${folder}`;
}

/** The user's name, "#1001" where there is none, as sudo takes both; undefined where even that may not be seen. */
function ownerOf(folder: string): string | undefined {
  try {
    const uid = String(statSync(folder).uid);
    const users = readFileSync("/etc/passwd", "utf8").split("\n");
    return users.find((line) => line.split(":")[2] === uid)?.split(":")[0] ?? `#${uid}`;
  } catch {
    return undefined;
  }
}

function codeOf(fault: unknown): string {
  return fault instanceof Error && "code" in fault ? String(fault.code) : "";
}
