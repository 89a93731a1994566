import { conflict } from "../errors";
import type { Platen } from "../platen";
import { startChildCommand } from "../runtime/child-command";
import type { JobProgress, JobTask } from "./job";

interface Options<Line> {
  doing: string;
  total?: number;
  priority?: number;
  /** Converts a line that the command prints to standard error as JSON. */
  progressOf?(line: Line): JobProgress;
}

/**
 * @throws Refusal (conflict) with the last line of standard error if the command fails without a JSON report
 * @throws the abort reason
 */
export async function runJobCommand<Line extends object>(
  platen: Platen,
  { signal, reportProgress }: Pick<JobTask<unknown>, "signal" | "reportProgress">,
  words: string[],
  { doing, total, priority, progressOf = () => ({}) }: Options<Line>,
): Promise<{ stdout: string; stderr: string }> {
  await reportProgress({ doing, total });
  const onStderrLine = (line: string) => {
    if (line.startsWith("{")) void reportProgress(progressOf(JSON.parse(line))).catch(() => {});
  };
  const { ended, end } = startChildCommand(platen, words, { priority, onStderrLine });
  signal.addEventListener("abort", end);
  const { code, stdout, stderr } = await ended;
  signal.throwIfAborted();
  if (code !== 0 && !stdout.startsWith("{")) {
    const lines = stderr.split("\n").filter((line) => !line.startsWith("{"));
    if (lines.length > 1) platen.log(lines.join("\n"));
    throw conflict(lines.at(-1) ?? stderr);
  }
  return { stdout: stdout.trim(), stderr };
}
