import { misused } from "./arguments";
import type { CommandName } from "./command-definitions";

/** The number that names what a command is about. @throws UsageFault @param noun as in `platen NOUN list` */
export function idIn(name: CommandName, operand: string | undefined, noun: string): number {
  if (!/^[1-9]\d{0,14}$/.test(operand ?? ""))
    throw misused(name, `"${operand}" is no ${noun}'s ID; platen ${noun} list shows them`);
  return Number(operand);
}
