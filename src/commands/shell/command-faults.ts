import { SettingError } from "../../config/setting-values";
import { asDatabaseDamaged, asDatabaseLocked, asDiskFull, DatabaseError, Refusal } from "../../errors";
import { StoreFault } from "../../outgoing/bucket";
import { reasonOf } from "./system-faults";

/** What was typed after a command's name is wrong: a sentence without a full stop. Becomes a UsageFault. */
export class ArgumentFault extends Error {}

/** The command was typed wrongly: one line that says what to type instead. Exit 2. */
export class UsageFault extends Error {
  /** @param fault a sentence without a full stop */
  constructor(fault: string, type: string) {
    super(`${fault}. Type: ${type}`);
  }
}

/** Nothing was done yet: what would be, and what to type for it. @param says a sentence without a full stop */
export function unconfirmed(says: string, command: string, data: string | undefined): UsageFault {
  return new UsageFault(says, confirmedCommand(command, data));
}

/** The same command as it does what it says, in the same folder. */
export function confirmedCommand(command: string, data: string | undefined): string {
  return `${command} --yes${data === undefined ? "" : ` --data ${data}`}`;
}

/** The command cannot be carried out; the message is one plain sentence. Exit 1. */
export class CommandFault extends Error {}

/** A full disk, whoever found it so. */
export function isNoRoom(fault: unknown): boolean {
  return (fault instanceof Refusal && fault.kind === "no room") || asDiskFull(fault) !== null;
}

export const REFUSED = 1;
const MISUSED = 2;

/** Says on standard error why a command ended without its work done; gives the exit code. */
export function reportFault(fault: unknown): number {
  if (fault instanceof UsageFault || fault instanceof SettingError) return report(fault.message, MISUSED);
  if ([CommandFault, DatabaseError, StoreFault].some((kind) => fault instanceof kind))
    return report((fault as Error).message, REFUSED);
  const refusal =
    fault instanceof Refusal
      ? fault
      : (asDiskFull(fault) ?? asDatabaseLocked(fault) ?? asDatabaseDamaged(fault));
  if (refusal) return report(sentence(refusal), REFUSED);
  if (fault instanceof Error && "syscall" in fault && "path" in fault)
    return report(`${fault.path} cannot be used: ${reasonOf(fault)}.`, REFUSED);
  // A fault of Platen's own: where it happened is what its authors will ask for.
  console.error(fault);
  return REFUSED;
}

function report(line: string, code: number): number {
  console.error(line);
  return code;
}

/** Refusals may begin with a field's name, in which words are joined by "_". */
function sentence({ message, fields = {} }: Refusal): string {
  const names = Object.keys(fields).filter((name) => name.includes("_"));
  const text = names.reduce(
    (words, name) => words.replaceAll(`${name} `, `${name.replaceAll("_", " ")} `),
    message,
  );
  return text.charAt(0).toUpperCase() + text.slice(1);
}
