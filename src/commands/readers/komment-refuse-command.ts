import { refuseKomment } from "../../komments/moderation";
import { command } from "../shell/command";
import { withPlaten } from "../shell/data-folder";
import { idIn } from "../shell/named-rows";
import { print } from "../shell/printing";

export default command(
  { does: "keep a komment from readers", operand: { name: "ID", isNeeded: true } },
  async ({ values, operand }) => {
    const id = idIn(operand, "komment");
    await withPlaten(values.data, async (platen) => {
      refuseKomment(platen, id);
      await print(`Komment ${id} is refused.`);
    });
  },
);
