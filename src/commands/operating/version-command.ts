import { version as number } from "../../version";
import { argumentsOf } from "../shell/arguments";
import { print } from "../shell/printing";
import { thirdPartyNotices } from "./third-party-notices";

/** `platen version [--licenses]`: the version, or the licences of everything Platen is made of. */
export async function version(args: string[]): Promise<number> {
  const { values } = argumentsOf("version", args);
  await print(values.licenses ? await thirdPartyNotices() : `platen ${number}`);
  return 0;
}
