import { rotateSecret } from "../../webhooks/signing-secrets";
import { command } from "../shell/command";
import { blog } from "../shell/common-options";
import { withPlaten } from "../shell/data-folder";
import { blogNamed } from "../shell/named-rows";
import { print } from "../shell/printing";

export default command(
  {
    does: "make a blog a new secret and print it; the former signs too for 24 hours",
    options: { blog },
  },
  async ({ values }) => {
    await withPlaten(values.data, async (platen) => {
      await print(rotateSecret(platen, blogNamed(platen, values.blog)));
    });
  },
);
