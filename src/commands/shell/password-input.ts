import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { hashPassword } from "../../accounts/passwords";
import { invalid } from "../../errors";

export async function readPasswordHash(): Promise<string> {
  return await hashPassword(await readPassword());
}

/**
 * @returns the password, not validated
 * @throws Refusal (invalid) if it is missing, or if the person types two different passwords
 */
export async function readPassword(): Promise<string> {
  if (process.stdin.isTTY) return await askForPassword();
  const password = await readFirstLine();
  if (password === "") throw invalid({ password: ["is missing on standard input"] });
  return password;
}

export async function readFirstLine(): Promise<string> {
  return (await Bun.stdin.text()).split(/\r?\n/)[0] ?? "";
}

async function askForPassword(): Promise<string> {
  const password = await askWithoutEcho("Password: ");
  if (password === "") throw invalid({ password: ["must not be empty"] });
  if ((await askWithoutEcho("Password again: ")) !== password)
    throw invalid({ password: ["does not match the first one"] });
  return password;
}

/** @returns the typed line; "" if the input ends with Ctrl+D */
async function askWithoutEcho(prompt: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  process.stderr.write(prompt);
  // In raw mode Ctrl+C sends no signal.
  terminal.once("SIGINT", () => {
    terminal.close();
    process.stderr.write("\n");
    process.exit(130);
  });
  const ended = new Promise<string>((resolve) => terminal.once("close", () => resolve("")));
  const typed = await Promise.race([terminal.question(""), ended]);
  terminal.close();
  process.stderr.write("\n");
  return typed;
}
