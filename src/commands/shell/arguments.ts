import { parseArgs } from "node:util";
import { ArgumentFault } from "./command-faults";
import type { Option, Usage } from "./usage";

/** What was typed after a command's name. */
export interface Typed<U extends Usage> {
  /** An option that may be missing is undefined, false or an empty list then. */
  values: {
    -readonly [O in keyof U["options"]]: U["options"][O] extends Option ? Value<U["options"][O]> : never;
  };
  operand: U extends { operand: { isNeeded: true } } ? string : string | undefined;
}

type Value<O extends Option> = O["type"] extends "boolean"
  ? boolean
  : O extends { multiple: true }
    ? string[]
    : O extends { isNeeded: true }
      ? string
      : string | undefined;

/** @throws ArgumentFault where the usage does not allow it */
export function argumentsOf<U extends Usage>(usage: U, args: string[]): Typed<U> {
  const { operand, options = {} }: Usage = usage;
  const { values, positionals } = parsed(options, args);
  if (positionals.length > (operand ? 1 : 0))
    throw new ArgumentFault(`"${positionals.at(-1)}" is one word too many`);
  if (operand?.isNeeded && positionals.length === 0)
    throw new ArgumentFault(`The ${operand.name} is missing`);
  const missing = Object.keys(options).find((name) => options[name]?.isNeeded && values[name] === undefined);
  if (missing) throw new ArgumentFault(`--${missing} is missing`);
  return { values: { ...defaultsOf(options), ...values }, operand: positionals[0] } as Typed<U>;
}

type Options = NonNullable<Usage["options"]>;

function parsed(options: Options, args: string[]) {
  const known = Object.fromEntries(
    Object.entries(options).map(([name, { type, multiple = false }]) => [name, { type, multiple }]),
  );
  try {
    return parseArgs({ args, options: known, allowPositionals: true });
  } catch (fault) {
    // Advice on the syntax follows the first sentence; the synopsis says it better.
    throw new ArgumentFault((fault as Error).message.split(/\.(?:\s|$)/)[0] as string);
  }
}

function defaultsOf(options: Options): Record<string, boolean | string[]> {
  const defaults: Record<string, boolean | string[]> = {};
  for (const [name, { type, multiple }] of Object.entries(options)) {
    if (type === "boolean") defaults[name] = false;
    else if (multiple) defaults[name] = [];
  }
  return defaults;
}
