import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";

/** Each protocol maps these kinds to its own status and body. */
export type RefusalKind =
  | "malformed" // 400: the request cannot be parsed
  | "unauthorized" // 401: no valid key
  | "forbidden" // 403: not allowed
  | "unscoped" // 403: the key lacks the scope (OAuth's insufficient_scope)
  | "missing" // 404
  | "conflict" // 409: conflicts with existing data
  | "stale" // 412: changed since it was read
  | "too large" // 413
  | "long address" // 414
  | "invalid" // 422: a field is invalid
  | "throttled" // 429
  | "busy" // 503: a later retry may succeed
  | "long header" // 431
  | "failed" // 500: an internal error; details are in the log
  | "no room" // 507: the disk is full
  | "unwritable"; // 503: the database is damaged, or the folder cannot be written

/** Field → its errors, as sentences without the field's name */
export type FieldErrors = Record<string, string[]>;

/** An expected error. It has no property `code`, because Elysia would interpret that property. */
export class Refusal extends Error {
  constructor(
    readonly kind: RefusalKind,
    message: string,
    readonly fields?: FieldErrors,
    /** Seconds until a retry makes sense; for "throttled" and "busy". */
    readonly retryAfter?: number,
  ) {
    super(message);
  }
}

export const malformed = (message: string, fields?: FieldErrors) => new Refusal("malformed", message, fields);
export const malformedField = (field: string, message: string) =>
  malformed(`${field} ${message}.`, { [field]: [message] });
export const unauthorized = (message: string) => new Refusal("unauthorized", message);
export const forbidden = (message: string) => new Refusal("forbidden", message);
export const unscoped = (message: string) => new Refusal("unscoped", message);
export const notFound = (what: string) => new Refusal("missing", `There is no such ${what}.`);
export const conflict = (message: string) => new Refusal("conflict", message);
export const stale = (message: string) => new Refusal("stale", message);
export const tooLarge = (message: string) => new Refusal("too large", message);
export const throttled = (message: string, retryAfter: number) =>
  new Refusal("throttled", message, undefined, retryAfter);
export const busy = (message: string, retryAfter: number) =>
  new Refusal("busy", message, undefined, retryAfter);

const LOCK_RETRY_AFTER_SECONDS = 5;
const OPEN_FILES_RETRY_AFTER_SECONDS = 5;

/** Returns the code of an error of SQLite or the system, such as "ENOENT"; "" if there is none. */
export function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

export function asDiskFull(error: unknown): Refusal | null {
  return /^(SQLITE_FULL|ENOSPC|EDQUOT)$/.test(errorCode(error)) ? diskFullError() : null;
}

export const diskFullError = () =>
  new Refusal("no room", "The server's disk is full, so nothing was saved. Free some space, then try again.");

class DatabaseLocked extends Refusal {
  constructor() {
    super(
      "busy",
      "Another program is writing to the database, so nothing was saved. Try again in a moment.",
      undefined,
      LOCK_RETRY_AFTER_SECONDS,
    );
  }
}

export function asDatabaseLocked(error: unknown): Refusal | null {
  if (error instanceof DatabaseLocked) return error;
  return errorCode(error).startsWith("SQLITE_BUSY") ? new DatabaseLocked() : null;
}

export function asTooManyOpenFiles(error: unknown): Refusal | null {
  const code = errorCode(error);
  // SQLITE_CANTOPEN has many causes.
  const isLimit = /^(EMFILE|ENFILE)$/.test(code) || (code.startsWith("SQLITE_CANTOPEN") && !canOpenFile());
  return isLimit ? tooManyOpenFilesError() : null;
}

function canOpenFile(): boolean {
  try {
    closeSync(openSync(devNull, "r"));
    return true;
  } catch {
    return false;
  }
}

export const tooManyOpenFilesError = () =>
  busy(
    "The server has too many open files and connections. Try again in a moment.",
    OPEN_FILES_RETRY_AFTER_SECONDS,
  );

export function asDatabaseDamaged(error: unknown): Refusal | null {
  if (!/^SQLITE_(CORRUPT|NOTADB|READONLY)/.test(errorCode(error))) return null;
  return new Refusal(
    "unwritable",
    "The database is damaged or read-only, so nothing can be saved until the server's owner repairs it. (On the server: platen recover)",
  );
}

export function asDiskNotWritable(error: unknown): Refusal | null {
  return /^(EROFS|EIO|SQLITE_(IOERR|CANTOPEN).*)$/.test(errorCode(error)) ? folderNotWritableError() : null;
}

export const folderNotWritableError = () =>
  new Refusal(
    "unwritable",
    "The server's folder is missing or read-only, so nothing was saved. The server's owner must repair it. (On the server: platen doctor)",
  );

/** The owner of a row was deleted (foreign key), or its removal has started (trigger of migration 0015). */
export function asRemovedMeanwhile(error: unknown): Refusal | null {
  const code = errorCode(error);
  const isBeingRemoved =
    code === "SQLITE_CONSTRAINT_TRIGGER" && (error as Error).message.includes("is being removed");
  if (code !== "SQLITE_CONSTRAINT_FOREIGNKEY" && !isBeingRemoved) return null;
  return new Refusal("missing", "The blog or post that this belongs to has just been removed.");
}

/** For example `invalid({ title: ["must be at most 500 characters"] })`. The message joins all errors. */
export function invalid(fields: FieldErrors): Refusal {
  const errors = Object.entries(fields).flatMap(([field, message]) =>
    message.map((text) => `${field} ${text}`),
  );
  // An error of several sentences has its own full stop.
  return new Refusal("invalid", errors.join("; ").replace(/\.?$/, "."), fields);
}

export function assertNoFieldErrors(errors: FieldErrors): void {
  if (Object.keys(errors).length > 0) throw invalid(errors);
}

/** @throws any error other than a Refusal with field errors */
export function fieldErrorsOf(error: unknown): FieldErrors {
  if (error instanceof Refusal && error.kind === "invalid" && error.fields) return error.fields;
  throw error;
}

/** The database cannot be used. The message names the reason. */
export class DatabaseError extends Error {}
