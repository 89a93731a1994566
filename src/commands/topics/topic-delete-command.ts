import { deleteTopic } from "../../posts/topics/topic-changes";
import { command } from "../shell/command";
import { withPlaten } from "../shell/data-folder";
import { print } from "../shell/printing";
import { kindOf, topicMeant, topicOptions } from "./topic-options";

export default command(
  {
    does: "delete a category or tag; its posts stay, its address leads to the archive",
    operand: { name: "NAME", isNeeded: true },
    options: topicOptions,
  },
  async ({ values, operand }) => {
    const kind = kindOf(values);
    await withPlaten(values.data, async (platen) => {
      const topic = topicMeant(platen, values.blog, kind, operand);
      await deleteTopic(platen, kind, topic);
      await print(`${topic.name} is deleted.`);
    });
  },
);
