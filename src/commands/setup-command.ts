import { makeKey } from "../accounts/api-keys";
import { setUpInstance } from "../blogs/setup-and-invitations";
import { assertUploadsHaveAccount } from "../upkeep/recovery/damaged-database";
import { command } from "./shell/command";
import { asArgumentError } from "./shell/command-errors";
import { withPlaten } from "./shell/data-folder";
import { readPassword } from "./shell/terminal";
import { email, option, passwordStdin, slug, title } from "./shell/usage";

export const setup = command(
  {
    help: "create the first account and blog; print an API key",
    options: {
      email,
      title,
      name: option("N", "name of the account's owner"),
      slug,
      "password-stdin": passwordStdin,
    },
  },
  async ({ values }) => {
    const { email, name, title, slug } = values;
    const password = values["password-stdin"] ? await readPassword() : null;
    return await withPlaten(
      values.data,
      async (platen) => {
        assertUploadsHaveAccount(platen);
        const owner = { account: { email, name, password }, blog: { title, slug } };
        const { account } = await setUpInstance(platen, owner).catch((error) => {
          throw asArgumentError(error);
        });
        return makeKey(platen, account).text;
      },
      { mayMakeFolder: true },
    );
  },
);
