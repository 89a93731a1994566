import { pauseWebhook } from "../../webhooks/webhook-urls";
import { command } from "../shell/command";
import { blog } from "../shell/common-options";
import { withPlaten } from "../shell/data-folder";
import { blogNamed } from "../shell/named-rows";
import { print } from "../shell/printing";

export default command(
  {
    does: "send nothing to a URL for now; what happens meanwhile waits",
    operand: { name: "URL", isNeeded: true },
    options: { blog },
  },
  async ({ values, operand: url }) => {
    await withPlaten(values.data, async (platen) => {
      pauseWebhook(platen, blogNamed(platen, values.blog), url);
      await print(`${url} is paused.`);
    });
  },
);
