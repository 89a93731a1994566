import { version } from "../../version";
import { command } from "../shell/command";
import { print } from "../shell/printing";
import { flag } from "../shell/usage";
import { thirdPartyNotices } from "./third-party-notices";

export default command(
  {
    help: "print the version",
    options: { licenses: flag("print all third-party licenses instead") },
  },
  async ({ values }) => {
    await print(values.licenses ? await thirdPartyNotices() : `platen ${version}`);
  },
);
