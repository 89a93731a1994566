import { setPriority } from "node:os";
import { join } from "node:path";
import type { Platen } from "../../platen";

const PROGRAM = Bun.isStandaloneExecutable
  ? [process.execPath]
  : [process.execPath, join(import.meta.dir, "../../main.ts")];
/** For the system's scheduler: when nobody else wants the processor. */
const LOWEST_PRIORITY = 19;

export interface EndedCommand {
  code: number;
  /** What it printed and wrote to standard error. */
  said: string;
  /** What it wrote to standard error. */
  complained: string;
}

export interface OwnCommand {
  ended: Promise<EndedCommand>;
  end(): void;
}

/** Runs one of Platen's commands on the data folder beside the server: for what would keep requests waiting. */
export function startCommand(platen: Platen, words: string[]): OwnCommand {
  const child = Bun.spawn([...PROGRAM, ...words, "--data", platen.config.data], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  try {
    setPriority(child.pid, LOWEST_PRIORITY);
  } catch {
    // It has ended already, or this user may not: then it goes on as it is.
  }
  const ended = async () => {
    const texts = [child.stdout, child.stderr].map((stream) => new Response(stream).text());
    const [printed = "", complained = ""] = await Promise.all(texts);
    return { code: await child.exited, said: (printed + complained).trim(), complained: complained.trim() };
  };
  return { ended: ended(), end: () => child.kill() };
}
