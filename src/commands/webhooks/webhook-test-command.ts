import { sendTestEvent } from "../../webhooks/test-event";
import { command } from "../shell/command";
import { blog } from "../shell/common-options";
import { withPlaten } from "../shell/data-folder";
import { blogNamed } from "../shell/named-rows";
import { print } from "../shell/printing";

export default command(
  {
    does: "send an event made up to try a URL out; prints the delivery's ID",
    operand: { name: "URL", isNeeded: true },
    options: { blog },
  },
  async ({ values, operand: url }) => {
    await withPlaten(values.data, async (platen) => {
      await print(String(sendTestEvent(platen, blogNamed(platen, values.blog), url)));
    });
  },
);
