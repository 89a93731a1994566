import { setUpInstance } from "../../blogs/instance-setup";
import { assertUploadsHaveAccount } from "../../upkeep/recovery/missing-database";
import { command } from "../shell/command";
import { passwordStdin } from "../shell/common-options";
import { withPlaten } from "../shell/data-folder";
import { passwordOnStdin } from "../shell/password-input";
import { print } from "../shell/printing";

export default command(
  {
    does: "make the first account and its blog; prints the API key",
    options: {
      email: { type: "string", value: "E", isNeeded: true, does: "the account's e-mail address" },
      title: { type: "string", value: "T", isNeeded: true, does: "the blog's title" },
      name: { type: "string", value: "N", does: "the account's name" },
      slug: { type: "string", value: "S", does: "the blog's short name in addresses" },
      "password-stdin": passwordStdin,
    },
  },
  async ({ values }) => {
    const { email, name, title, slug } = values;
    const password = values["password-stdin"] ? await passwordOnStdin() : null;
    await withPlaten(
      values.data,
      async (platen) => {
        assertUploadsHaveAccount(platen);
        const account = { email, name, password };
        const { key } = await setUpInstance(platen, { account, blog: { title, slug } });
        await print(key);
      },
      { mayMakeFolder: true },
    );
  },
);
