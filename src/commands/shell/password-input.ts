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

/** The first line of standard input, whether it will do or not. @throws Refusal (invalid) where there is nothing */
export async function passwordOnStdin(): Promise<string> {
  const [password = ""] = (await Bun.stdin.text()).split(/\r?\n/);
  if (password === "") throw invalid({ password: ["is missing on standard input"] });
  return password;
}
