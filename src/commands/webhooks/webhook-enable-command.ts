import { enableWebhook } from "../../webhooks/webhook-urls";
import { command } from "../shell/command";
import { blog } from "../shell/common-options";
import { withPlaten } from "../shell/data-folder";
import { blogNamed } from "../shell/named-rows";
import { print } from "../shell/printing";

export default command(
  {
    does: "turn a URL on again that was given up",
    operand: { name: "URL", isNeeded: true },
    options: { blog },
  },
  async ({ values, operand: url }) => {
    await withPlaten(values.data, async (platen) => {
      enableWebhook(platen, blogNamed(platen, values.blog), url);
      await print(`${url} is on; platen webhook redeliver --failed-since TIME sends what it missed.`);
    });
  },
);
