import { parseArgs } from "node:util";
import { ArgumentError } from "./command-errors";
import type { Option, Usage } from "./usage";

export interface Arguments<U extends Usage> {
  /** A missing option is undefined, false or an empty list. */
  values: {
    -readonly [O in keyof U["options"]]: U["options"][O] extends Option ? Value<U["options"][O]> : never;
  };
  operands: U extends { operands: infer Names extends readonly string[] } ? OperandValues<Names> : [];
}

type OperandValues<Names extends readonly string[]> = {
  -readonly [I in keyof Names]: Names[I] extends `[${string}]` ? string | undefined : string;
};

type Value<O extends Option> = O["type"] extends "boolean"
  ? boolean
  : O extends { multiple: true }
    ? string[]
    : O extends { isRequired: true }
      ? string
      : string | undefined;

type Options = NonNullable<Usage["options"]>;

/** @throws ArgumentError if the usage does not allow the arguments */
export function parseArguments<U extends Usage>(usage: U, args: string[]): Arguments<U> {
  const { operands = [], options = {} }: Usage = usage;
  const { values, positionals } = parseWords(options, args);
  if (positionals.length > operands.length)
    throw new ArgumentError(`Unexpected argument "${positionals[operands.length]}"`);
  const missing = operands.slice(positionals.length).find((name) => !name.startsWith("["));
  if (missing) throw new ArgumentError(`${missing} is missing`);
  for (const [name, { isRequired }] of Object.entries(options))
    if (isRequired && values[name] === undefined) throw new ArgumentError(`--${name} is missing`);
  return { values: { ...defaultValues(options), ...values }, operands: positionals } as Arguments<U>;
}

function parseWords(options: Options, args: string[]) {
  const known = Object.fromEntries(
    Object.entries(options).map(([name, { type, multiple = false }]) => [name, { type, multiple }]),
  );
  try {
    return parseArgs({ args, options: known, allowPositionals: true });
  } catch (error) {
    // parseArgs adds advice on syntax; the synopsis replaces it.
    throw new ArgumentError((error as Error).message.split(/\.(?:\s|$)/)[0] as string);
  }
}

function defaultValues(options: Options): Record<string, boolean | string[]> {
  const defaults: Record<string, boolean | string[]> = {};
  for (const [name, { type, multiple }] of Object.entries(options)) {
    if (type === "boolean") defaults[name] = false;
    else if (multiple) defaults[name] = [];
  }
  return defaults;
}
