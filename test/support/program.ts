import { existsSync } from "node:fs";
import { join } from "node:path";
import { EXECUTABLE, isExecutableCurrent } from "./executable";
import { writeFinishedDatabase } from "./new-folder";
import { atEnd, temporaryFolder } from "./temporary";
import { waitFor } from "./waiting";

/** Platen's command line without arguments: the built executable if it is current, because it starts three times faster. */
export const PROGRAM = isExecutableCurrent()
  ? [EXECUTABLE]
  : [process.execPath, join(import.meta.dir, "../../src/main.ts")];

/** Processes that may still run. */
const running = new Set<Bun.Subprocess>();
atEnd(async () => {
  for (const child of running) child.kill("SIGKILL");
  await Promise.all([...running].map(({ exited }) => exited));
});

/** @returns path of a new folder inside one that is deleted with the test file or benchmark */
export function freshFolder(): string {
  return join(temporaryFolder("program"), "data");
}

/**
 * Sets up Ada's blog "ada" by the command.
 * @returns the data folder and the API key
 */
export async function setUpBlog({ data = freshFolder(), password = "" } = {}): Promise<{
  data: string;
  key: string;
}> {
  const names = ["--email", "ada@example.com", "--title", "Ada", "--slug", "ada"];
  const setup = ["setup", "--data", data, ...names, ...(password ? ["--password-stdin"] : [])];
  if (!existsSync(data)) writeFinishedDatabase(data);
  const { code, stdout, stderr } = await runPlaten(setup, { stdin: password });
  if (code !== 0) throw new Error(stderr);
  return { data, key: stdout.trim() };
}

export interface CommandResult {
  code: number;
  stdout: string;
  stderr: string;
}

interface RunOptions {
  stdin?: string;
  /** Additional environment; PLATEN_… of the tests is not inherited. */
  env?: Record<string, string>;
  cwd?: string;
  /** Time limit in milliseconds [one minute]. */
  patience?: number;
}

/** Runs a command in a process. */
export function runPlaten(args: string[], surroundings?: RunOptions): Promise<CommandResult> {
  return runToEnd([...PROGRAM, ...args], surroundings);
}

export async function runToEnd(
  command: string[],
  { stdin = "", env, cwd, patience }: RunOptions = {},
): Promise<CommandResult> {
  const child = Bun.spawn(command, {
    stdin: new Blob([stdin]),
    stdout: "pipe",
    stderr: "pipe",
    env: environment(env),
    cwd,
  });
  running.add(child);
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const code = await waitFor(
    Promise.all([child.exited, stdout.over, stderr.over]).then(([code]) => code),
    `the end of ${command.join(" ")}`,
    () => `what it said until then: ${stdout.text()}${stderr.text()}`,
    patience,
  );
  running.delete(child);
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

export interface RunningServer extends AsyncDisposable {
  /** Without a slash at the end. */
  url: string;
  pid: number;
  data: string;
  /** Output so far. */
  stdout(): string;
  stderr(): string;
  /** Resolves when stderr matches. It may arrive after a response that was sent later. */
  untilStderr(of: RegExp): Promise<void>;
  /** Exit code, after all output was read. */
  ended: Promise<number>;
  /** Stops it and waits for the end. */
  stop(): Promise<number>;
  /** Kills it. */
  kill(): Promise<void>;
}

/** Starts a server on a free port and waits until it is ready. `await using` stops it. */
export async function startServer({
  data = freshFolder(),
  env,
  args = [],
  program = PROGRAM,
  shell,
  timeLimit,
}: {
  data?: string;
  env?: Record<string, string>;
  args?: string[];
  /** Path of the executable, or source. */
  program?: string[];
  /** A shell command that starts it instead, and its folder. */
  shell?: { line: string; cwd: string };
  /** Time limit of the start in milliseconds [one minute]. */
  timeLimit?: number;
} = {}): Promise<RunningServer> {
  const command = [...program, "serve", "--data", data, ...args];
  const child = Bun.spawn(shell ? ["sh", "-c", shell.line] : command, {
    cwd: shell?.cwd,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    env: environment({ PLATEN_PORT: "0", ...env }),
    // A shell does not forward signals, so signal the process group.
    detached: shell !== undefined,
  });
  running.add(child);
  const errors = collect(child.stderr);
  const printed = collect(child.stdout);
  const outputSoFar = () => `what it said until then: ${printed.text()}${errors.text()}`;
  const address = await waitFor(
    printed.until(/^Platen is at (http:\/\/[^/\s]+)\//m),
    `${command.join(" ")} to say where it is`,
    outputSoFar,
    timeLimit,
  );
  if (!address) throw new Error(`The server did not start: ${errors.text()}`);
  // The exit may be known before the last output.
  const ended = Promise.all([child.exited, printed.over, errors.over]).then(([code]) => code);
  const end = async (signal: "SIGTERM" | "SIGKILL") => {
    if (!shell) child.kill(signal);
    else if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid, signal);
    const code = await waitFor(ended, `the server's end after ${signal}`, outputSoFar);
    running.delete(child);
    return code;
  };
  return {
    url: address[1] as string,
    pid: child.pid,
    data,
    stdout: printed.text,
    stderr: errors.text,
    async untilStderr(of) {
      if (!(await waitFor(errors.until(of), `the server to complain of ${of}`, outputSoFar)))
        throw new Error(`It ended without ${of}: ${errors.text()}`);
    },
    ended,
    stop: () => end("SIGTERM"),
    kill: async () => void (await end("SIGKILL")),
    [Symbol.asyncDispose]: async () => void (await end("SIGKILL")),
  };
}

function environment(env: Record<string, string> = {}): Record<string, string | undefined> {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith("PLATEN_"));
  return { ...Object.fromEntries(own), ...env };
}

/** Collects a stream. `until` waits for a pattern, and returns null if the stream ends without it. */
function collect(stream: ReadableStream<Uint8Array>) {
  let text = "";
  let arrived = Promise.withResolvers<void>();
  let isOver = false;
  const over = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) {
      text += decoder.decode(chunk, { stream: true });
      arrived.resolve();
      arrived = Promise.withResolvers();
    }
    isOver = true;
    arrived.resolve();
  })();
  return {
    text: () => text,
    over,
    async until(pattern: RegExp): Promise<RegExpExecArray | null> {
      for (;;) {
        const found = pattern.exec(text);
        if (found || isOver) return found;
        await arrived.promise;
      }
    },
  };
}
