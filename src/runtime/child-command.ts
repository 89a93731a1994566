import { writeFileSync } from "node:fs";
import { setPriority } from "node:os";
import { join } from "node:path";
import type { Subprocess } from "bun";
import type { Platen } from "../platen";

export const PROGRAM = Bun.isStandaloneExecutable
  ? [process.execPath]
  : [process.execPath, join(import.meta.dir, "../main.ts")];
const LOWEST_PRIORITY = 19;

interface ChildResult {
  code: number;
  stdout: string;
  stderr: string;
}

interface ChildOptions {
  onStderrLine?: (line: string) => void;
  /** Niceness. Use 0 for commands that write, because other processes wait for their lock. */
  priority?: number;
}

export function startChildCommand(
  platen: Platen,
  words: string[],
  { onStderrLine = () => {}, priority = LOWEST_PRIORITY }: ChildOptions = {},
) {
  const child = Bun.spawn([...PROGRAM, ...words, "--data", platen.config.data], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  try {
    setPriority(child.pid, priority);
    // If memory runs out, the kernel ends the command instead of the server.
    writeFileSync(`/proc/${child.pid}/oom_score_adj`, "500");
  } catch {
    // The child has ended, or the system does not support or permit these changes.
  }
  const ended = async (): Promise<ChildResult> => {
    const texts = [new Response(child.stdout).text(), readLines(child.stderr, onStderrLine)];
    const [stdout = "", errors = ""] = await Promise.all(texts);
    const code = await child.exited;
    return { code, stdout, stderr: (errors + signalMessage(child.signalCode)).trim() };
  };
  return { ended: ended(), end: () => child.kill() };
}

/** At most one child process runs at a time: call `start` only if `mayStart()` is true. */
export function childTask(platen: Platen) {
  let running: ReturnType<typeof startChildCommand> | null = null;
  let settled = Promise.resolve();
  let isStopping = false;
  return {
    isRunning: () => running !== null,
    mayStart: () => running === null && !isStopping,
    /** @param onEnd not called after `stop` */
    start(words: string[], onEnd: (result: ChildResult) => void): void {
      running = startChildCommand(platen, words);
      settled = running.ended.then((result) => {
        running = null;
        if (!isStopping) onEnd(result);
      });
    },
    settled: () => settled,
    async stop(): Promise<void> {
      isStopping = true;
      running?.end();
      await settled;
    },
  };
}

function signalMessage(signal: Subprocess["signalCode"]): string {
  if (signal === null) return "";
  const hint = signal === "SIGKILL" ? "; the system may be out of memory" : "";
  return `\nThe command was ended by ${signal}${hint}. Try again.`;
}

async function readLines(stream: ReadableStream<Uint8Array>, onLine: (line: string) => void) {
  const decoder = new TextDecoder();
  let text = "";
  let lineStart = 0;
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf("\n", lineStart); end >= 0; end = text.indexOf("\n", lineStart)) {
      onLine(text.slice(lineStart, end));
      lineStart = end + 1;
    }
  }
  return text;
}
