import { renameTopic } from "../../posts/topics/topic-changes";
import { command } from "../shell/command";
import { withPlaten } from "../shell/data-folder";
import { print } from "../shell/printing";
import { kindOf, topicMeant, topicOptions } from "./topic-options";

export default command(
  {
    does: "rename a category or tag; its former address leads to the new one",
    operand: { name: "NAME", isNeeded: true },
    options: { ...topicOptions, to: { type: "string", value: "NAME", isNeeded: true, does: "its new name" } },
  },
  async ({ values, operand }) => {
    const kind = kindOf(values);
    await withPlaten(values.data, async (platen) => {
      const topic = topicMeant(platen, values.blog, kind, operand);
      const { slug } = renameTopic(platen, kind, topic, values.to);
      await print(`It is at /${kind}/${slug} now.`);
    });
  },
);
