import { type Arguments, parseArguments } from "./arguments";
import { option, type Usage } from "./usage";

/** The commands of each group of `platen help`, by name; each is loaded on demand. */
export type CommandGroups = Readonly<Record<string, Readonly<Record<string, () => Promise<Command>>>>>;

export interface Command {
  readonly usage: Usage;
  /**
   * @param groups all commands, for `platen help`
   * @returns the exit code
   * @throws ArgumentError
   */
  run(args: string[], groups: CommandGroups): Promise<number>;
}

/** Every command takes it, so that scripts can always pass it. */
const data = option("DIR", "data folder [PLATEN_DATA or ./data]");

/** @param work its exit code is 0 unless it returns another */
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

const STOP_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Lets work clean up when the process is told to stop. @param reason what the signal is aborted with */
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
