import { version as number } from "../version";
import { argumentsOf } from "./arguments";
import { thirdPartyNotices } from "./notices";
import { print } from "./printing";

/** `platen version [--licenses]`: the version, or the licences of everything Platen is made of. */
export async function version(args: string[]): Promise<number> {
  const { values } = argumentsOf("version", args);
  await print(values.licenses ? await thirdPartyNotices() : `platen ${number}`);
  return 0;
}
