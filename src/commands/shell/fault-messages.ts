import { SettingFault } from "../../config";
import { DatabaseFault } from "../../database/migrate";
import { noRoom, Refusal } from "../../errors";
import { UsageFault } from "./arguments";
import { CommandFault } from "./data-folder";

export const REFUSED = 1;
const MISUSED = 2;

/** Says on standard error why a command ended without its work done; gives the exit code. */
export function told(fault: unknown): number {
  if (fault instanceof UsageFault || fault instanceof SettingFault) return saying(fault.message, MISUSED);
  if (fault instanceof CommandFault || fault instanceof DatabaseFault) return saying(fault.message, REFUSED);
  const refusal = fault instanceof Refusal ? fault : noRoom(fault);
  if (refusal) return saying(sentence(refusal.message), REFUSED);
  // A fault of Platen's own: where it happened is what its authors will ask for.
  console.error(fault);
  return REFUSED;
}

function saying(line: string, code: number): number {
  console.error(line);
  return code;
}

/** Refusals may begin with a field's name. */
function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
