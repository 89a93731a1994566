import { removeWebhook } from "../../webhooks/webhook-urls";
import { command } from "../shell/command";
import { blog } from "../shell/common-options";
import { withPlaten } from "../shell/data-folder";
import { blogNamed } from "../shell/named-rows";
import { print } from "../shell/printing";

export default command(
  { does: "send nothing more to a URL", operand: { name: "URL", isNeeded: true }, options: { blog } },
  async ({ values, operand: url }) => {
    await withPlaten(values.data, async (platen) => {
      removeWebhook(platen, blogNamed(platen, values.blog), url);
      await print(`${url} is removed.`);
    });
  },
);
