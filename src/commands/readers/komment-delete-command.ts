import { deleteKomment } from "../../komments/moderation";
import { command } from "../shell/command";
import { withPlaten } from "../shell/data-folder";
import { idIn } from "../shell/named-rows";
import { print } from "../shell/printing";

export default command(
  { does: "delete a komment for good", operand: { name: "ID", isNeeded: true } },
  async ({ values, operand }) => {
    const id = idIn(operand, "komment");
    await withPlaten(values.data, async (platen) => {
      deleteKomment(platen, id);
      await print(`Komment ${id} is deleted.`);
    });
  },
);
