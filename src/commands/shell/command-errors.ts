import { SettingError } from "../../config/setting-values";
import { asDatabaseDamaged, asDatabaseLocked, asDiskFull, DatabaseError, Refusal } from "../../errors";
import { StoreError } from "../../outgoing/bucket";
import { capitalize } from "../../text/clean-text";
import { explainSystemError } from "./file-errors";

/** The arguments are wrong. The message has no full stop; it becomes a UsageError. */
export class ArgumentError extends Error {}

/** The command line is invalid. The message shows what to type instead. Exit code 2. */
export class UsageError extends Error {
  /** @param problem a sentence without a full stop */
  constructor(problem: string, type: string) {
    super(`${problem}. Type: ${type}`);
  }
}

/** The error for a missing --yes. It describes the effect and shows the command with --yes. */
export function unconfirmed(effect: string, command: string, data: string | undefined): UsageError {
  return new UsageError(effect, confirmedCommand(command, data));
}

export function confirmedCommand(command: string, data: string | undefined): string {
  return `${command} --yes${data === undefined ? "" : ` --data ${data}`}`;
}

/** The command failed; the message is one sentence. Exit code 1. */
export class CommandError extends Error {}

export function isDiskFull(error: unknown): boolean {
  return (error instanceof Refusal && error.kind === "no room") || asDiskFull(error) !== null;
}

export const EXIT_FAILURE = 1;
const EXIT_USAGE = 2;

/** Prints why a command failed to standard error. @returns the exit code */
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
  // Other errors are bugs in Platen, so the stack is printed.
  console.error(error);
  return EXIT_FAILURE;
}

function fail(line: string, code = EXIT_FAILURE): number {
  console.error(line);
  return code;
}

/** Returns the message, with field names such as "time_zone" written as words. */
function sentenceOf({ message, fields = {} }: Refusal): string {
  const names = Object.keys(fields).filter((name) => name.includes("_"));
  const text = names.reduce(
    (words, name) => words.replaceAll(`${name} `, `${name.replaceAll("_", " ")} `),
    message,
  );
  return capitalize(text);
}
