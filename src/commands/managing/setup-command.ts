import { foundInstance } from "../../blogs/first-blog";
import type { Platen } from "../../platen";
import { argumentsOf } from "../shell/arguments";
import { withPlaten } from "../shell/data-folder";
import { passwordHashFrom } from "../shell/password-input";
import { print } from "../shell/printing";

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
