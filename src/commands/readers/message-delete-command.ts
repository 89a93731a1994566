import { deleteMessage } from "../../messages/message-list";
import { command } from "../shell/command";
import { withPlaten } from "../shell/data-folder";
import { idIn } from "../shell/named-rows";
import { print } from "../shell/printing";

export default command(
  { does: "delete a message for good", operand: { name: "ID", isNeeded: true } },
  async ({ values, operand }) => {
    const id = idIn(operand, "message");
    await withPlaten(values.data, async (platen) => {
      deleteMessage(platen, id);
      await print(`Message ${id} is deleted.`);
    });
  },
);
