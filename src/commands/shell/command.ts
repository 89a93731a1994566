import type { Platen } from "../../platen";
import { type Arguments, parseArguments } from "./arguments";
import { withPlaten } from "./data-folder";
import { option, type Usage } from "./usage";

/** The commands of each group of `platen help`, by name; each is loaded on demand. */
export type CommandGroups = Readonly<Record<string, Readonly<Record<string, () => Promise<Command>>>>>;

interface Command {
  readonly usage: Usage;
  /**
   * @param groups all commands, for `platen help`
   * @returns the exit code
   * @throws ArgumentError
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
  const whole = { ...usage, options: { ...usage.options, data } };
  return {
    usage: whole,
    run: async (args, groups) => (await work(parseArguments(whole, args), groups)) ?? 0,
  };
}

type TypedFor<U extends Usage> = Arguments<U & { options: { data: typeof data } }>;

/** A command on the data folder, which a server may be using. @param work see `command` */
export function folderCommand<const U extends Usage>(
  usage: U,
  work: (platen: Platen, typed: TypedFor<U>) => Promise<number | undefined>,
): Command {
  return parsedCommand(usage, () => {}, work);
}

/** A `folderCommand` that parses its arguments before the folder is opened. @param parse may throw ArgumentError */
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

/** Aborts `work` on a stop signal, so that it can clean up. @param reason the abort signal's reason */
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
