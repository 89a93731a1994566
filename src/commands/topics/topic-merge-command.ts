import { mergeTopics } from "../../posts/topics/topic-changes";
import { command } from "../shell/command";
import { withPlaten } from "../shell/data-folder";
import { print } from "../shell/printing";
import { kindOf, topicMeant, topicOptions } from "./topic-options";

export default command(
  {
    does: "put all posts of a category or tag under another one, whose address its own leads to",
    operand: { name: "NAME", isNeeded: true },
    options: {
      ...topicOptions,
      into: { type: "string", value: "NAME", isNeeded: true, does: "the one that stays" },
    },
  },
  async ({ values, operand }) => {
    const kind = kindOf(values);
    await withPlaten(values.data, async (platen) => {
      const from = topicMeant(platen, values.blog, kind, operand);
      const into = topicMeant(platen, values.blog, kind, values.into);
      await mergeTopics(platen, kind, from, into);
      await print(`${from.name} is merged into ${into.name}.`);
    });
  },
);
