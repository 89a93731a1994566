import { inTransaction } from "../../database/transactions";
import { setBlocked } from "../../komments/blocking";
import { command } from "../shell/command";
import { blog, json } from "../shell/common-options";
import { withPlaten } from "../shell/data-folder";
import { blogNamed } from "../shell/named-rows";
import { print } from "../shell/printing";

export default command(
  {
    does: "list the mail addresses and words that a blog refuses, and change that",
    options: {
      blog,
      add: {
        type: "string",
        value: "LINE",
        multiple: true,
        does: "a mail address or words to refuse from now on",
      },
      remove: { type: "string", value: "LINE", multiple: true, does: "what is not to be refused any more" },
      json,
    },
  },
  async ({ values }) => {
    await withPlaten(values.data, async (platen) => {
      if (values.add.length + values.remove.length > 0)
        inTransaction(platen, () => {
          const changed = blogNamed(platen, values.blog);
          const removed = values.remove.map(folded);
          const kept = linesOf(changed.blocked).filter((line) => !removed.includes(folded(line)));
          setBlocked(platen, changed, [...kept, ...values.add].join("\n"));
        });
      const lines = linesOf(blogNamed(platen, values.blog).blocked);
      if (values.json) await print(JSON.stringify(lines, null, 2));
      else if (lines.length > 0) await print(lines.join("\n"));
    });
  },
);

function linesOf(list: string): string[] {
  return list.split("\n").filter((line) => line !== "");
}

/** As it is kept, capitals apart. */
function folded(line: string): string {
  return line.trim().replace(/\s+/g, " ").toLowerCase();
}
