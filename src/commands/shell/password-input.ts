import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { hashPassword } from "../../accounts/passwords";
import { invalid } from "../../errors";

/** The hash of the password on standard input where --password-stdin was given. @throws Refusal (invalid) naming `password` */
export async function passwordHashFrom(isOnStdin: boolean): Promise<string | null> {
  return isOnStdin ? await passwordHashOnStdin() : null;
}

/** @throws Refusal (invalid) naming `password` */
export async function passwordHashOnStdin(): Promise<string> {
  return await hashPassword(await passwordOnStdin());
}

/**
 * Asks for the password twice if standard input is a terminal; otherwise it is the first line there.
 * @returns the password, unchecked
 * @throws Refusal (invalid) if there is none, or the two differ
 */
export async function passwordOnStdin(): Promise<string> {
  if (process.stdin.isTTY) return await askForPassword();
  const [password = ""] = (await Bun.stdin.text()).split(/\r?\n/);
  if (password === "") throw invalid({ password: ["is missing on standard input"] });
  return password;
}

async function askForPassword(): Promise<string> {
  const password = await askWithoutEcho("Password: ");
  if (password === "") throw invalid({ password: ["must not be empty"] });
  if ((await askWithoutEcho("Password again: ")) !== password)
    throw invalid({ password: ["differs from the one typed first"] });
  return password;
}

/** @returns what is typed until Enter; nothing if it ends with Ctrl+D */
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
