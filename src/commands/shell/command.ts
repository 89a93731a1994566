import { parseArgs } from "node:util";
import { type Account, accountWithEmail } from "../../accounts/accounts";
import { type Blog, blogWithSlug, listBlogs } from "../../blogs/blogs";
import type { Platen } from "../../platen";
import { ArgumentError, CommandError } from "./command-errors";
import { withPlaten, withReadOnlyPlaten } from "./data-folder";
import { formatList, print, type Row } from "./terminal";
import { json, type Option, operandName, option, type Parse, type Usage } from "./usage";

/** Group of `platen help` → name → function that loads the command. */
export type CommandGroups = Readonly<Record<string, Readonly<Record<string, () => Promise<Command>>>>>;

export interface Command {
  readonly usage: Usage;
  /**
   * @returns the exit code
   * @throws ArgumentError if the arguments are wrong; errors of the command
   */
  run(args: string[], groups: CommandGroups): Promise<number>;
}

/** Every command accepts --data, so that scripts can always pass it. */
const data = option("DIR", "data folder [PLATEN_DATA or ./data]");

type TypedFor<U extends Usage> = Arguments<U & { options: { data: typeof data } }>;

/** Text to print, or the exit code, which otherwise is 0. */
type Outcome = string | number | undefined;

export function command<const U extends Usage>(
  usage: U,
  work: (typed: TypedFor<U>, groups: CommandGroups) => Outcome | Promise<Outcome>,
): Command {
  const fullUsage = { ...usage, options: { ...usage.options, data } };
  return {
    usage: fullUsage,
    async run(args, groups) {
      const outcome = await work(parseArguments(fullUsage, args), groups);
      if (typeof outcome === "string") await print(outcome);
      return typeof outcome === "number" ? outcome : 0;
    },
  };
}

const commandWith =
  (openFolder: typeof withPlaten | typeof withReadOnlyPlaten) =>
  <const U extends Usage>(
    usage: U,
    work: (platen: Platen, typed: TypedFor<U>) => Outcome | Promise<Outcome>,
  ): Command =>
    command(usage, (typed) =>
      openFolder(typed.values.data as string | undefined, async (platen) => await work(platen, typed)),
    );

export const folderCommand = commandWith(withPlaten);
export const readOnlyCommand = commandWith(withReadOnlyPlaten);

type WithJson<U extends Usage> = U & { options: { json: typeof json } };

/** Prints all columns as JSON, or `columns` as a table. */
export function listCommand<const U extends Usage>(
  usage: U,
  columns: string[],
  list: (platen: Platen, typed: TypedFor<WithJson<U>>) => Row[],
): Command {
  const withJson = { ...usage, options: { ...usage.options, json } } as WithJson<U>;
  return folderCommand(withJson, (platen, typed) =>
    formatList(list(platen, typed), columns, typed.values.json as boolean),
  );
}

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
  operands: U extends { operands: infer Operands extends readonly unknown[] } ? Parsed<Operands> : [];
}

type Parsed<Operands extends readonly unknown[]> = {
  -readonly [I in keyof Operands]: Operands[I] extends { name: infer Name; parse: Parse<infer Value> }
    ? OrMissing<Name, Value>
    : OrMissing<Operands[I], string>;
};

type OrMissing<Name, Value> = Name extends `[${string}]` ? Value | undefined : Value;

type Value<O extends Option> = O extends { parse: Parse<infer Single> }
  ? O extends { multiple: true }
    ? Single[]
    : O extends { isRequired: true }
      ? Single
      : Single | undefined
  : boolean;

function parseArguments<U extends Usage>(usage: U, args: string[]): Arguments<U> {
  const { operands = [], options = {} }: Usage = usage;
  const { values: typed, positionals } = parseWords(options, args);
  if (positionals.length > operands.length)
    throw new ArgumentError(`Unexpected argument "${positionals[operands.length]}"`);
  const missing = operands.slice(positionals.length).map(operandName);
  const name = missing.find((name) => !name.startsWith("["));
  if (name) throw new ArgumentError(`${name} is missing`);
  const parsedOperands = positionals.map((text, index) => {
    const operand = operands[index];
    return typeof operand === "object" ? operand.parse(text, operand.name) : text;
  });
  const values = Object.fromEntries(
    Object.entries(options).map(([name, spec]) => [name, parseValue(`--${name}`, spec, typed[name])]),
  );
  return { values, operands: parsedOperands } as Arguments<U>;
}

function parseValue(name: string, spec: Option, typed: unknown): unknown {
  const { parse, multiple, isRequired } = spec;
  if (!parse) return typed ?? false;
  if (multiple) return ((typed ?? []) as string[]).map((text) => parse(text, name));
  if (typed !== undefined) return parse(typed as string, name);
  if (isRequired) throw new ArgumentError(`${name} is missing`);
  return undefined;
}

function parseWords(options: NonNullable<Usage["options"]>, args: string[]) {
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

export function requireAccount(platen: Platen, email: string): Account {
  const found = accountWithEmail(platen, email);
  if (!found) throw new CommandError(`There is no account with the e-mail address ${email}.`);
  return found;
}

export function requireBlog(platen: Platen, slug: string): Blog {
  const found = blogWithSlug(platen, slug);
  if (!found) throw new CommandError(`There is no blog with the slug ${slug}.`);
  return found;
}

export function slugsOfBlogs(platen: Platen): Map<number, string> {
  return new Map(listBlogs(platen).map(({ id, slug }) => [id, slug]));
}

export function findScope(platen: Platen, slug: string | undefined): Blog | undefined {
  return slug === undefined ? undefined : requireBlog(platen, slug);
}
