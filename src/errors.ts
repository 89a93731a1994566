import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";

/** What a noun may refuse, in the product's words; each door maps a kind to its own status and body, once. */
export type RefusalKind =
  | "malformed" // 400: the request cannot be understood
  | "unauthorized" // 401: no key, or not a valid one
  | "forbidden" // 403: known, but not allowed
  | "unscoped" // 403: the key lacks the scope (OAuth's insufficient_scope)
  | "missing" // 404
  | "conflict" // 409: the setting clashes with what is there
  | "stale" // 412: the thing has changed since it was read
  | "too large" // 413
  | "long address" // 414
  | "invalid" // 422: understood, but a field is at fault
  | "throttled" // 429
  | "busy" // 503: nothing is wrong with it, but others wait already
  | "long header" // 431
  | "failed" // 500: a fault of ours; only `refusalOf` makes one, and the log says more
  | "no room" // 507: the disk is full
  | "unwritable"; // 503: the database is damaged, or may only be read

/** field name → what is wrong with it, in sentences for people. */
export type FieldErrors = Record<string, string[]>;

/** An expected "no". Carries no field named `code`: Elysia would read it as an error code of its own. */
export class Refusal extends Error {
  constructor(
    readonly kind: RefusalKind,
    message: string,
    readonly fields?: FieldErrors,
    /** Seconds after which another try may succeed; for "throttled" and "busy". */
    readonly retryAfter?: number,
  ) {
    super(message);
  }
}

export const malformed = (message: string, fields?: FieldErrors) => new Refusal("malformed", message, fields);
export const malformedField = (field: string, says: string) =>
  malformed(`${field} ${says}.`, { [field]: [says] });
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

/** The disk is full: SQLite's word for it, or the system's. Null where it is anything else. */
export function asDiskFull(fault: unknown): Refusal | null {
  const code = fault instanceof Error && "code" in fault ? String(fault.code) : "";
  if (!/^(SQLITE_FULL|ENOSPC|EDQUOT)$/.test(code)) return null;
  return diskFullError();
}

export const diskFullError = () =>
  new Refusal("no room", "The server's disk is full: nothing was stored. Free some space, then try again.");

/** In seconds. */
const LOCKED_RETRY_AFTER = 5;

/** Another process has kept the database's lock for longer than one waits: SQLite's word for it. Null: anything else. */
export function asDatabaseLocked(fault: unknown): Refusal | null {
  if (fault instanceof LockedOut) return fault;
  const code = fault instanceof Error && "code" in fault ? String(fault.code) : "";
  if (!code.startsWith("SQLITE_BUSY")) return null;
  return new LockedOut();
}

/** Neither files nor connections can be opened: the system's word for it. Null: anything else. */
export function asTooManyOpenFiles(fault: unknown): Refusal | null {
  const code = fault instanceof Error && "code" in fault ? String(fault.code) : "";
  const isCrowded = /^(EMFILE|ENFILE)$/.test(code) || (code.startsWith("SQLITE_CANTOPEN") && !canOpenAny());
  return isCrowded ? tooManyOpenFilesError() : null;
}

/** SQLite has one word for all that keeps it from opening a file. */
function canOpenAny(): boolean {
  try {
    closeSync(openSync(devNull, "r"));
    return true;
  } catch {
    return false;
  }
}

export const tooManyOpenFilesError = () =>
  busy("The server has too many files and connections open just now: try again in a moment.", 5);

class LockedOut extends Refusal {
  constructor() {
    super(
      "busy",
      "Another program is changing the database just now: nothing was stored. Try again in a moment.",
      undefined,
      LOCKED_RETRY_AFTER,
    );
  }
}

/** The database is damaged, or was closed to writing because of that: SQLite's words for it. Null: anything else. */
export function asDatabaseDamaged(fault: unknown): Refusal | null {
  const code = fault instanceof Error && "code" in fault ? String(fault.code) : "";
  if (!/^SQLITE_(CORRUPT|NOTADB|READONLY)/.test(code)) return null;
  return new Refusal(
    "unwritable",
    "The database is damaged or may only be read: nothing can be changed until the server's owner has looked. (On the server: platen recover)",
  );
}

/** The disk is broken, or closed to writing: the system's words for it, or SQLite's. Null: anything else. */
export function asDiskNotWritable(fault: unknown): Refusal | null {
  const code = fault instanceof Error && "code" in fault ? String(fault.code) : "";
  return /^(EROFS|EIO|SQLITE_(IOERR|CANTOPEN).*)$/.test(code) ? folderNotWritableError() : null;
}

export const folderNotWritableError = () =>
  new Refusal(
    "unwritable",
    "The server's folder is gone or may only be read: nothing was stored, and nothing can be until the server's owner has looked. (On the server: platen doctor)",
  );

/**
 * What a row belongs to was removed, or began to be, while the request was under way: SQLite's word for the one, that of
 * migration 0015's triggers for the other. Null: anything else.
 */
export function asRemovedMeanwhile(fault: unknown): Refusal | null {
  if (!(fault instanceof Error && "code" in fault)) return null;
  const isBeingRemoved =
    fault.code === "SQLITE_CONSTRAINT_TRIGGER" && fault.message.includes("is being removed");
  if (fault.code !== "SQLITE_CONSTRAINT_FOREIGNKEY" && !isBeingRemoved) return null;
  return new Refusal("missing", "What this belongs to, a blog or a post of it, has just been removed.");
}

/** `invalid({ title: ["must be at most 500 characters"] })`; the message is the faults as one sentence. */
export function invalid(fields: FieldErrors): Refusal {
  const faults = Object.entries(fields).flatMap(([field, says]) => says.map((fault) => `${field} ${fault}`));
  return new Refusal("invalid", `${faults.join("; ")}.`, fields);
}

/** @throws Refusal (invalid) unless there is none */
export function assertNoFieldErrors(faults: FieldErrors): void {
  if (Object.keys(faults).length > 0) throw invalid(faults);
}

/** The database cannot be used as it is; the message says why and what to do. */
export class DatabaseError extends Error {}
