import { revokeKey } from "../../accounts/keys";
import { command } from "../shell/command";
import { CommandFault } from "../shell/command-faults";
import { withPlaten } from "../shell/data-folder";
import { idIn } from "../shell/named-rows";
import { print } from "../shell/printing";

export default command(
  { does: "end an API key", operand: { name: "ID", isNeeded: true } },
  async ({ values, operand }) => {
    const id = idIn(operand, "key");
    await withPlaten(values.data, async (platen) => {
      if (!revokeKey(platen, id)) throw new CommandFault(`There is no key ${id} in use.`);
      await print(`Key ${id} is revoked.`);
    });
  },
);
