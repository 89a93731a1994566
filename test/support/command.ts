import { spyOn } from "bun:test";
import { runCommand } from "../../src/commands/command-list";
import { reportError } from "../../src/commands/shell/command-errors";
import type { CommandResult } from "./program";

/** The latest command. Commands run one at a time, because they share the console. */
let latest: Promise<unknown> = Promise.resolve();

/**
 * Runs a command in this process, which is faster than `runPlaten`. Not for tests of signals,
 * locks between processes, damaged databases, or commands that wait for the test.
 */
export function callPlaten(
  args: string[],
  options: { stdin?: string; env?: Record<string, string> } = {},
): Promise<CommandResult> {
  const run = latest.then(() => call(args, options));
  latest = run.catch(() => {});
  return run;
}

async function call(
  args: string[],
  { stdin = "", env = {} }: { stdin?: string; env?: Record<string, string> },
): Promise<CommandResult> {
  const ended = { code: 0, stdout: "", stderr: "" };
  const { write } = Bun;
  const environment = { ...process.env };
  const mask = process.umask(0o077);
  for (const name of Object.keys(environment)) if (name.startsWith("PLATEN_")) delete process.env[name];
  Object.assign(process.env, env);
  const spies = [
    spyOn(Bun, "write").mockImplementation((async (to: unknown, text: unknown, options: never) => {
      if (to !== Bun.stdout) return await write(to as string, text as string, options);
      ended.stdout += text;
      return 0;
    }) as typeof Bun.write),
    spyOn(console, "error").mockImplementation((line: unknown) => {
      ended.stderr += `${typeof line === "string" ? line : Bun.inspect(line)}\n`;
    }),
    spyOn(Bun.stdin, "text").mockImplementation(async () => stdin),
  ];
  const terminals = [process.stdin, process.stderr].map((stream) => ({ stream, isTTY: stream.isTTY }));
  for (const { stream } of terminals) stream.isTTY = false;
  try {
    ended.code = await runCommand(args).catch(reportError);
  } finally {
    for (const spy of spies) spy.mockRestore();
    for (const { stream, isTTY } of terminals) stream.isTTY = isTTY;
    for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
    Object.assign(process.env, environment);
    process.umask(mask);
  }
  return ended;
}
