import { parseArgs } from "node:util";
import type { Platen } from "../../platen";
import { ArgumentError } from "./command-errors";
import { withPlaten } from "./data-folder";
import { type Option, option, type Usage } from "./usage";

/** Group of `platen help` → name → function that loads the command. */
export type CommandGroups = Readonly<Record<string, Readonly<Record<string, () => Promise<Command>>>>>;

interface Command {
  readonly usage: Usage;
  /**
   * @returns the exit code
   * @throws ArgumentError if the arguments are wrong; errors of the command
   */
  run(args: string[], groups: CommandGroups): Promise<number>;
}

/** Every command accepts --data, so that scripts can always pass it. */
const data = option("DIR", "data folder [PLATEN_DATA or ./data]");

/** @param work returns the exit code; undefined means 0 */
export function command<const U extends Usage>(
  usage: U,
  work: (
    typed: Arguments<U & { options: { data: typeof data } }>,
    groups: CommandGroups,
  ) => Promise<number | undefined>,
): Command {
  const fullUsage = { ...usage, options: { ...usage.options, data } };
  return {
    usage: fullUsage,
    run: async (args, groups) => (await work(parseArguments(fullUsage, args), groups)) ?? 0,
  };
}

type TypedFor<U extends Usage> = Arguments<U & { options: { data: typeof data } }>;

export function folderCommand<const U extends Usage>(
  usage: U,
  work: (platen: Platen, typed: TypedFor<U>) => Promise<number | undefined>,
): Command {
  return parsedCommand(usage, () => {}, work);
}

/** `parse` runs before the data folder is opened, and may throw ArgumentError. */
export const parsedCommand = <const U extends Usage, Parsed>(
  usage: U,
  parse: (typed: TypedFor<U>) => Parsed,
  work: (platen: Platen, typed: TypedFor<U>, parsed: Parsed) => Promise<number | undefined>,
): Command =>
  command(usage, (typed) => {
    const parsed = parse(typed);
    return withPlaten(typed.values.data as string | undefined, (platen) => work(platen, typed, parsed));
  });

const STOP_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** A stop signal aborts `work` instead of ending the process, so that `work` can clean up. */
export async function withAbortOnSignal<Result>(
  reason: Error,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const abort = () => controller.abort(reason);
  for (const signal of STOP_SIGNALS) process.once(signal, abort);
  try {
    return await work(controller.signal);
  } finally {
    for (const signal of STOP_SIGNALS) process.off(signal, abort);
  }
}

interface Arguments<U extends Usage> {
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

function parseArguments<U extends Usage>(usage: U, args: string[]): Arguments<U> {
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
    // Drops the advice that parseArgs adds, because the synopsis is shown instead.
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
