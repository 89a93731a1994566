import { resumeWebhook } from "../../webhooks/webhook-urls";
import { command } from "../shell/command";
import { blog } from "../shell/common-options";
import { withPlaten } from "../shell/data-folder";
import { blogNamed } from "../shell/named-rows";
import { print } from "../shell/printing";

export default command(
  {
    does: "go on with a URL that is paused, with what has waited first",
    operand: { name: "URL", isNeeded: true },
    options: { blog },
  },
  async ({ values, operand: url }) => {
    await withPlaten(values.data, async (platen) => {
      resumeWebhook(platen, blogNamed(platen, values.blog), url);
      await print(`${url} goes on.`);
    });
  },
);
