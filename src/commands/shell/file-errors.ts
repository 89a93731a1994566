import { errorCode } from "../../errors";

const REASONS: Record<string, string> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EEXIST: "it is a file",
  EISDIR: "it is a folder",
  ENOENT: "no such file or folder",
  ENOTDIR: "a part of its path is a file, not a folder",
  EROFS: "the disk is read-only",
  SQLITE_CANTOPEN: "its platen.db cannot be opened",
  SQLITE_CORRUPT: "its platen.db is damaged; type: platen recover",
  SQLITE_NOTADB: "its platen.db is not a database; type: platen recover",
  SQLITE_READONLY: "its platen.db is read-only",
};

/** Returns the reason why a file cannot be used, to print after a colon. */
export function explainSystemError(error: unknown): string {
  return REASONS[errorCode(error)] ?? (error instanceof Error ? error.message : String(error));
}
