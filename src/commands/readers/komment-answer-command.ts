import { answerKomment } from "../../komments/answering";
import { command } from "../shell/command";
import { withPlaten } from "../shell/data-folder";
import { idIn } from "../shell/named-rows";
import { print } from "../shell/printing";

export default command(
  {
    does: "answer a komment, in Markdown from standard input, and let readers see both",
    operand: { name: "ID", isNeeded: true },
    options: {
      text: {
        type: "string",
        value: "TEXT",
        does: "the answer, in the place of standard input; an empty one takes it away",
      },
    },
  },
  async ({ values, operand }) => {
    const id = idIn(operand, "komment");
    const text = values.text ?? (await Bun.stdin.text());
    await withPlaten(values.data, async (platen) => {
      await answerKomment(platen, { id }, text);
      await print(text.trim() === "" ? `Komment ${id} has no answer now.` : `Komment ${id} is answered.`);
    });
  },
);
