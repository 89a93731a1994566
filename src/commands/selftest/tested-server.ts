import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PROGRAM } from "../../runtime/child-command";

const START_TIMEOUT_MS = 30_000;

export interface TestedServer {
  url: string;
  stop(): Promise<number>;
  kill(): Promise<void>;
}

export async function startTestedServer(data: string): Promise<TestedServer> {
  const log = join(data, "..", "server.log");
  const child = Bun.spawn([...PROGRAM, "serve", "--data", data], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: Bun.file(log),
    env: testedEnvironment(),
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), START_TIMEOUT_MS);
  let printed = "";
  for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
    printed += chunk;
    const url = /^Platen is at (http:\/\/[^/\s]+)\//m.exec(printed)?.[1];
    if (!url) continue;
    clearTimeout(timer);
    const end = (signal: "SIGTERM" | "SIGKILL") => {
      child.kill(signal);
      return child.exited;
    };
    return {
      url,
      stop: () => end("SIGTERM"),
      kill: async () => void (await end("SIGKILL")),
    };
  }
  throw new Error(`the server did not start: ${readFileSync(log, "utf8").trim() || printed}`);
}

export async function runTestedCommand(words: string[], stdin = ""): Promise<string> {
  const child = Bun.spawn([...PROGRAM, ...words], {
    stdin: new Blob([stdin]),
    stdout: "pipe",
    stderr: "pipe",
    env: testedEnvironment(),
  });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if ((await child.exited) !== 0) throw new Error(`platen ${words[0]}: ${stderr.trim() || stdout.trim()}`);
  return stdout.trim();
}

/** Leaves out PLATEN_ variables, which may configure a real instance. */
function testedEnvironment(): Record<string, string | undefined> {
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith("PLATEN_"));
  return {
    ...Object.fromEntries(others),
    PLATEN_PORT: "0",
    PLATEN_PRIVATE_HOSTS: "127.0.0.1",
    PLATEN_WEBHOOK_RETRY: "1s,1s,1s,1s,1s",
  };
}
