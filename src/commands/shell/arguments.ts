import { parseArgs } from "node:util";
import { COMMANDS, type CommandName, type Option, synopsisOf, type Usage } from "./command-definitions";

/** The command was typed wrongly: exit 2, and this one line. */
export class UsageFault extends Error {}

type ValueOf<O extends Option> = O["type"] extends "boolean"
  ? boolean
  : O extends { multiple: true }
    ? string[]
    : O extends { isNeeded: true }
      ? string
      : string | undefined;

type Options<Name extends CommandName> = (typeof COMMANDS)[Name]["options"];
export type Values<Name extends CommandName> = {
  -readonly [O in keyof Options<Name>]: Options<Name>[O] extends Option ? ValueOf<Options<Name>[O]> : never;
};

/**
 * What was typed after a command's name, checked against the table.
 * @throws UsageFault
 */
export function argumentsOf<Name extends CommandName>(
  name: Name,
  args: string[],
): { values: Values<Name>; operand: string | undefined } {
  const usage: Usage = COMMANDS[name];
  const { values, positionals } = parsed(name, usage, args);
  if (positionals.length > (usage.operand ? 1 : 0))
    throw misused(name, `"${positionals.at(-1)}" is one word too many`);
  if (usage.operand?.isNeeded && positionals.length === 0)
    throw misused(name, `The ${usage.operand.name} is missing`);
  const missing = Object.keys(usage.options).find(
    (option) => usage.options[option]?.isNeeded && values[option] === undefined,
  );
  if (missing) throw misused(name, `--${missing} is missing`);
  return { values: { ...defaultsOf(usage), ...values } as Values<Name>, operand: positionals[0] };
}

/** @param fault without a full stop: what to type follows it */
export function misused(name: CommandName, fault: string): UsageFault {
  return new UsageFault(`${fault}. Type: ${synopsisOf(name)}`);
}

/** A command of several words, `key` and the like, was typed without its second. */
export function secondWordMissing(first: string, second: string | undefined): UsageFault {
  const names = (Object.keys(COMMANDS) as CommandName[]).filter((name) => name.startsWith(`${first} `));
  const fault = second === undefined ? `${first} needs a second word` : `There is no ${first} ${second}`;
  return new UsageFault(`${fault}. Type: ${names.map((name) => `platen ${name}`).join(" or ")}`);
}

function parsed(name: CommandName, usage: Usage, args: string[]) {
  const options = Object.fromEntries(
    Object.entries(usage.options).map(([option, { type, multiple = false }]) => [option, { type, multiple }]),
  );
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (fault) {
    // Advice on the syntax follows the first sentence; the synopsis says it better.
    throw misused(name, (fault as Error).message.split(/\.(?:\s|$)/)[0] as string);
  }
}

function defaultsOf(usage: Usage): Record<string, boolean | string[]> {
  const defaults: Record<string, boolean | string[]> = {};
  for (const [option, { type, multiple }] of Object.entries(usage.options)) {
    if (type === "boolean") defaults[option] = false;
    else if (multiple) defaults[option] = [];
  }
  return defaults;
}
