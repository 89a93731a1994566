import { setPriority } from "node:os";
import { join } from "node:path";
import type { Subprocess } from "bun";
import type { Platen } from "../platen";

const PROGRAM = Bun.isStandaloneExecutable
  ? [process.execPath]
  : [process.execPath, join(import.meta.dir, "../main.ts")];
/** For the system's scheduler: when nobody else wants the processor. */
const LOWEST_PRIORITY = 19;

interface EndedCommand {
  code: number;
  /** What it printed and wrote to standard error. */
  said: string;
  printed: string;
  /** What it wrote to standard error; the last line is a sentence that says so, where a signal ended it. */
  complained: string;
}

export interface ChildCommand {
  ended: Promise<EndedCommand>;
  end(): void;
}

/**
 * Runs one of Platen's commands on the data folder beside the server: for what would keep requests waiting.
 * @param onComplaint is given each line that it writes to standard error, as soon as it is whole
 * @param env in the place of what this process was given
 * @param priority where it writes much: for as long as it is kept from going on while it has the lock, all wait
 */
export function startChildCommand(
  platen: Platen,
  words: string[],
  {
    onComplaint = () => {},
    env,
    priority = LOWEST_PRIORITY,
  }: { onComplaint?: (line: string) => void; env?: Record<string, string>; priority?: number } = {},
): ChildCommand {
  const child = Bun.spawn([...PROGRAM, ...words, "--data", platen.config.data], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    env: { ...process.env, ...env },
  });
  try {
    setPriority(child.pid, priority);
  } catch {
    // It has ended already, or this user may not: then it goes on as it is.
  }
  const ended = async () => {
    const texts = [new Response(child.stdout).text(), linesOf(child.stderr, onComplaint)];
    const [printed = "", written = ""] = await Promise.all(texts);
    const code = await child.exited;
    const complained = written + killedWords(child.signalCode);
    return { code, said: (printed + complained).trim(), printed, complained: complained.trim() };
  };
  return { ended: ended(), end: () => child.kill() };
}

/** It could say nothing itself. */
function killedWords(signal: Subprocess["signalCode"]): string {
  if (signal === null) return "";
  const asWhen = signal === "SIGKILL" ? ", as the system does where memory runs out" : "";
  return `\nIt was ended by ${signal} before it was done${asWhen}; try it again.`;
}

/** @returns all of it */
async function linesOf(stream: ReadableStream<Uint8Array>, onLine: (line: string) => void): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let told = 0;
  for await (const piece of stream) {
    text += decoder.decode(piece, { stream: true });
    for (let end = text.indexOf("\n", told); end >= 0; end = text.indexOf("\n", told)) {
      onLine(text.slice(told, end));
      told = end + 1;
    }
  }
  return text;
}
