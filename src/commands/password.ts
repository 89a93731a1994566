import { hashPassword } from "../accounts/accounts";
import { invalid } from "../errors";

/**
 * The hash of the password on the first line of standard input, where --password-stdin was given.
 * @throws Refusal (invalid) naming `password`
 */
export async function passwordHashFrom(isOnStdin: boolean): Promise<string | null> {
  if (!isOnStdin) return null;
  const [password = ""] = (await Bun.stdin.text()).split(/\r?\n/);
  if (password === "") throw invalid({ password: ["is missing on standard input"] });
  return await hashPassword(password);
}
