import { showKomment } from "../../komments/moderation";
import { command } from "../shell/command";
import { withPlaten } from "../shell/data-folder";
import { idIn } from "../shell/named-rows";
import { print } from "../shell/printing";

export default command(
  { does: "let readers see a komment", operand: { name: "ID", isNeeded: true } },
  async ({ values, operand }) => {
    const id = idIn(operand, "komment");
    await withPlaten(values.data, async (platen) => {
      showKomment(platen, id);
      await print(`Komment ${id} is shown.`);
    });
  },
);
