import { counted } from "../../text/numbers";
import { countMade, importWithId } from "../../transfer/import/run/import-records";
import { countChanged, undoImport, undoneWords } from "../../transfer/import/run/undo-import";
import { yes } from "../blogs/removal-words";
import { command } from "../shell/command";
import { unconfirmed } from "../shell/command-faults";
import { withPlaten } from "../shell/data-folder";
import { idIn } from "../shell/named-rows";
import { print } from "../shell/printing";

/** In milliseconds. */
const PROGRESS_EVERY = 500;

export default command(
  {
    does: "take a whole import back: its posts, komments, pictures and categories",
    operand: { name: "ID", isNeeded: true },
    options: {
      yes,
      json: { type: "boolean", does: "print what came of it as JSON, and on standard error how far it is" },
    },
  },
  async ({ operand, values }) => {
    const id = idIn(operand, "import");
    await withPlaten(values.data, async (platen) => {
      const run = importWithId(platen, id);
      if (!values.yes) {
        const made = `${counted(countMade(platen, id, "post"), "post")} and ${counted(countMade(platen, id, "file"), "file")}`;
        const changed = countChanged(platen, run);
        const since = changed > 0 ? `, ${changed} of the posts changed since,` : "";
        const says = `This would remove for good what import ${id} brought: ${made}${since} with all komments on them`;
        throw unconfirmed(says, `platen import undo ${id}`, values.data);
      }
      const undone = await undoImport(platen, run, values.json ? progressLines() : undefined);
      await print(values.json ? JSON.stringify(undone) : `Taken back: ${undoneWords(undone)}.`);
    });
  },
);

/** A line of JSON on standard error, twice a second at most, and at the end. */
function progressLines(): (undone: number, of: number) => void {
  let saidAt = Number.NEGATIVE_INFINITY;
  return (undone, of) => {
    if (undone < of && performance.now() - saidAt < PROGRESS_EVERY) return;
    saidAt = performance.now();
    console.error(JSON.stringify({ undone, of }));
  };
}
