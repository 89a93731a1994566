import { argumentsOf, type Typed } from "./arguments";
import type { Usage } from "./usage";

/** Every command by the words that call it; each is loaded when it is wanted. */
export type CommandList = ReadonlyMap<string, () => Promise<{ default: Command }>>;

export interface Command {
  readonly usage: Usage;
  /**
   * @param args what was typed after the command's name
   * @param all the commands there are, for the one that tells of them
   * @returns the exit code
   * @throws ArgumentFault
   */
  run(args: string[], all: CommandList): Promise<number>;
}

/** Every command takes it, also one that opens no folder: a script may add it to all alike. */
const data = {
  type: "string",
  value: "DIR",
  does: "the data folder; without it PLATEN_DATA, or else ./data",
} as const;

/**
 * A command, whose name is in the list of commands.
 * @param work what it does, in a process of its own; where it gives no exit code, that is 0
 */
export function command<const U extends Usage>(
  usage: U,
  work: (
    typed: Typed<U & { options: { data: typeof data } }>,
    all: CommandList,
  ) => Promise<number | undefined>,
): Command {
  const whole = { ...usage, options: { ...usage.options, data } };
  return { usage: whole, run: async (args, all) => (await work(argumentsOf(whole, args), all)) ?? 0 };
}

/** By which a command is ended, from the keyboard or by the server. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Work that is not killed by them, but told, so that what is unfinished goes first. @param reason what it is aborted with */
export async function toldOfEnding<Result>(
  reason: Error,
  work: (ending: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const ending = new AbortController();
  const end = () => ending.abort(reason);
  for (const signal of SIGNALS) process.once(signal, end);
  try {
    return await work(ending.signal);
  } finally {
    for (const signal of SIGNALS) process.off(signal, end);
  }
}
