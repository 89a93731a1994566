import { SettingError } from "../../config/config";
import {
  asDatabaseDamaged,
  asDatabaseLocked,
  asDiskFull,
  DatabaseError,
  errorCode,
  Refusal,
} from "../../errors";
import { StoreError } from "../../outgoing/bucket";
import { capitalize } from "../../text/clean-text";
import { removeControls } from "./terminal";

/** The arguments are wrong. The message has no full stop. `runCommand` turns this error into a UsageError. */
export class ArgumentError extends Error {}

/** Exit code 2. The message says what to type instead. */
export class UsageError extends Error {
  /** @param problem a sentence without a full stop */
  constructor(problem: string, type: string) {
    super(`${problem}. Type: ${type}`);
  }
}

/** @param effect what the command would do, without a full stop */
export function unconfirmed(effect: string, command: string, data: string | undefined): UsageError {
  return new UsageError(effect, confirmedCommand(command, data));
}

export function confirmedCommand(command: string, data: string | undefined): string {
  return `${command} --yes${data === undefined ? "" : ` --data ${data}`}`;
}

/** @returns an ArgumentError if the error is an invalid field; for commands whose fields are all options */
export function asArgumentError(error: unknown): unknown {
  const isInvalid = error instanceof Refusal && error.kind === "invalid";
  return isInvalid ? new ArgumentError(sentenceOf(error).replace(/\.$/, "")) : error;
}

/** Exit code 1. The message is printed without a stack. */
export class CommandError extends Error {}

/** To pass to `catch`. */
export const explainDiskFull = (message: string) => (error: unknown) => {
  const isFull = (error instanceof Refusal && error.kind === "no room") || asDiskFull(error) !== null;
  throw isFull ? new CommandError(message) : error;
};

export const EXIT_FAILURE = 1;
const EXIT_USAGE = 2;

export function reportError(error: unknown): number {
  if (error instanceof UsageError || error instanceof SettingError) return fail(error.message, EXIT_USAGE);
  if ([CommandError, DatabaseError, StoreError].some((kind) => error instanceof kind))
    return fail((error as Error).message);
  const refusal =
    error instanceof Refusal
      ? error
      : (asDiskFull(error) ?? asDatabaseLocked(error) ?? asDatabaseDamaged(error));
  if (refusal) return fail(sentenceOf(refusal));
  if (error instanceof Error && "syscall" in error && "path" in error)
    return fail(`${error.path} cannot be used: ${explainSystemError(error)}.`);
  // Other errors are probably bugs, so the stack is printed.
  console.error(error);
  return fail("This is an error in Platen. Please report it, with the details above or in the server’s log.");
}

function fail(line: string, code = EXIT_FAILURE): number {
  console.error(removeControls(line));
  return code;
}

function sentenceOf({ message, fields = {} }: Refusal): string {
  const names = Object.keys(fields).filter((name) => name.includes("_"));
  const text = names.reduce(
    (words, name) => words.replaceAll(`${name} `, `${name.replaceAll("_", " ")} `),
    message,
  );
  return capitalize(text);
}

const REASONS: Record<string, string> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EEXIST: "it is a file",
  EISDIR: "it is a folder",
  ENOENT: "no such file or folder",
  ENOTDIR: "a part of its path is a file, not a folder",
  EROFS: "the disk is read-only",
  SQLITE_CANTOPEN: "its platen.db cannot be opened",
  SQLITE_CORRUPT: "its platen.db is damaged; run: platen recover",
  SQLITE_NOTADB: "its platen.db is not a database; run: platen recover",
  SQLITE_READONLY: "its platen.db is read-only",
};

/** @returns the reason why a file cannot be used, to print after a colon */
export function explainSystemError(error: unknown): string {
  return REASONS[errorCode(error)] ?? (error instanceof Error ? error.message : String(error));
}
