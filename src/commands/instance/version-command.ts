import { version } from "../../version";
import { command } from "../shell/command";
import { print } from "../shell/printing";
import { thirdPartyNotices } from "./third-party-notices";

export default command(
  {
    does: "print the version",
    options: { licenses: { type: "boolean", does: "the licences of all Platen is made of" } },
  },
  async ({ values }) => {
    await print(values.licenses ? await thirdPartyNotices() : `platen ${version}`);
  },
);
