import { foundInstance } from "../blogs/founding";
import type { Platen } from "../platen";
import { argumentsOf } from "./arguments";
import { withPlaten } from "./opening";
import { passwordHashFrom } from "./password";
import { print } from "./printing";

/** `platen setup`: the first account with its first blog, without a browser. Prints the new API key alone. */
export async function setup(args: string[]): Promise<number> {
  const { values } = argumentsOf("setup", args);
  const { email, name, title, slug } = values;
  const passwordHash = await passwordHashFrom(values["password-stdin"]);
  const found = async (platen: Platen) => {
    const { key } = foundInstance(platen, { account: { email, name, passwordHash }, blog: { title, slug } });
    await print(key);
    return 0;
  };
  return await withPlaten(values.data, found, true);
}
