/** What the system's codes mean, to follow a colon. */
const REASONS: Record<string, string> = {
  EACCES: "this user is not allowed to",
  EPERM: "this user is not allowed to",
  EEXIST: "it is a file",
  EISDIR: "it is a folder",
  ENOENT: "there is no such file",
  ENOTDIR: "its path leads through a file as if that were a folder",
  EROFS: "the disk is read-only",
  SQLITE_CANTOPEN: "its platen.db cannot be opened",
  SQLITE_CORRUPT: "its platen.db is damaged; type: platen recover",
  SQLITE_NOTADB: "its platen.db is no database",
  SQLITE_READONLY: "its platen.db may not be written",
};

/** Why a file cannot be used, in plain words; the system's own where there are none. */
export function reasonOf(fault: unknown): string {
  return REASONS[codeOf(fault)] ?? (fault instanceof Error ? fault.message : String(fault));
}

export function codeOf(fault: unknown): string {
  return fault instanceof Error && "code" in fault ? String(fault.code) : "";
}
