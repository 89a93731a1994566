import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";

/** ERROR_STATUS maps these kinds to HTTP statuses. */
export type RefusalKind =
  | "malformed"
  | "unauthorized"
  | "forbidden"
  | "unscoped" // the key lacks the scope (insufficient_scope of OAuth)
  | "missing"
  | "conflict"
  | "stale" // the resource has changed since the client read it
  | "too large"
  | "long address"
  | "invalid"
  | "throttled"
  | "busy" // a later retry may succeed
  | "long header"
  | "failed" // details are in the log
  | "no room" // the disk is full
  | "unwritable"; // the database or the data folder cannot be written

/** Field → messages to follow its name, such as "must be at most 500 characters". */
export type FieldErrors = Record<string, string[]>;

/** Must not have a property `code`, because Elysia would take it for an error code of its own. */
export class Refusal extends Error {
  constructor(
    readonly kind: RefusalKind,
    message: string,
    readonly fields?: FieldErrors,
    /** In seconds. */
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
export const notFound = (what: string, fields?: FieldErrors) =>
  new Refusal("missing", `There is no such ${what}.`, fields);
/** @throws Refusal (missing) if there is no value */
export function requireFound<Value extends object>(
  value: Value | null | undefined,
  ...what: Parameters<typeof notFound>
): Value {
  if (!value) throw notFound(...what);
  return value;
}
export const conflict = (message: string) => new Refusal("conflict", message);
export const stale = (message: string) => new Refusal("stale", message);
export const tooLarge = (message: string) => new Refusal("too large", message);
export const throttled = (message: string, retryAfter: number) =>
  new Refusal("throttled", message, undefined, retryAfter);
export const busy = (message: string, retryAfter: number) =>
  new Refusal("busy", message, undefined, retryAfter);

const RETRY_AFTER_SECONDS = 5;

/** @returns a code such as "ENOENT" or "SQLITE_FULL"; "" if the error has none */
export function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

export function asDiskFull(error: unknown): Refusal | null {
  return /^(SQLITE_FULL|ENOSPC|EDQUOT)$/.test(errorCode(error)) ? diskFullError() : null;
}

export const diskFullError = () =>
  new Refusal("no room", "The server's disk is full, so nothing was saved. Free some space, then try again.");

class DatabaseLocked extends Refusal {}

export function asDatabaseLocked(error: unknown): Refusal | null {
  if (error instanceof DatabaseLocked) return error;
  const message = "Another program is writing to the database, so nothing was saved. Try again in a moment.";
  return errorCode(error).startsWith("SQLITE_BUSY")
    ? new DatabaseLocked("busy", message, undefined, RETRY_AFTER_SECONDS)
    : null;
}

export function asTooManyOpenFiles(error: unknown): Refusal | null {
  const code = errorCode(error);
  // SQLITE_CANTOPEN has other causes too, such as a missing folder.
  const isLimit = /^(EMFILE|ENFILE)$/.test(code) || (code.startsWith("SQLITE_CANTOPEN") && !canOpenFiles(1));
  return isLimit ? tooManyOpenFilesError() : null;
}

export function canOpenFiles(count: number): boolean {
  const opened: number[] = [];
  try {
    while (opened.length < count) opened.push(openSync(devNull, "r"));
    return true;
  } catch {
    return false;
  } finally {
    for (const file of opened) closeSync(file);
  }
}

export const tooManyOpenFilesError = () =>
  busy("The server has too many open files and connections. Try again in a moment.", RETRY_AFTER_SECONDS);

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

/** The row's owner was deleted (foreign key), or the owner's removal has started (trigger). */
export function asRemovedMeanwhile(error: unknown): Refusal | null {
  const code = errorCode(error);
  const isBeingRemoved =
    code === "SQLITE_CONSTRAINT_TRIGGER" && (error as Error).message.includes("is being removed");
  if (code !== "SQLITE_CONSTRAINT_FOREIGNKEY" && !isBeingRemoved) return null;
  return new Refusal("missing", "The blog or post that this belongs to has just been removed.");
}

export function invalid(fields: FieldErrors): Refusal {
  const errors = Object.entries(fields).flatMap(([field, message]) =>
    message.map((text) => `${field} ${text}`),
  );
  // The last message may already end with a full stop.
  return new Refusal("invalid", errors.join("; ").replace(/\.?$/, "."), fields);
}

export function assertNoFieldErrors(errors: FieldErrors): void {
  if (Object.keys(errors).length > 0) throw invalid(errors);
}

/** Field → message, or a falsy value if the field is valid. */
type Rules = Record<string, string | false | null | undefined>;

export function collectErrors(rules: Rules): FieldErrors {
  const broken = Object.entries(rules).filter(([, message]) => message);
  return Object.fromEntries(broken.map(([field, message]) => [field, [message as string]]));
}

export function assertRules(rules: Rules): void {
  assertNoFieldErrors(collectErrors(rules));
}

export const tooLong = (text: string | undefined, max: number) =>
  text !== undefined && text.length > max && `must be at most ${max} characters`;

/** @throws the error itself, unless it is a Refusal (invalid) with field errors */
export function fieldErrorsOf(error: unknown): FieldErrors {
  if (error instanceof Refusal && error.kind === "invalid" && error.fields) return error.fields;
  throw error;
}

export class DatabaseError extends Error {}
