import { setPassword } from "../../accounts/passwords";
import { command } from "../shell/command";
import { withPlaten } from "../shell/data-folder";
import { accountNamed } from "../shell/named-rows";
import { passwordHashOnStdin } from "../shell/password-input";
import { print } from "../shell/printing";

export default command(
  {
    does: "set an account's password, in the place of the old one; ends its sessions",
    options: {
      email: { type: "string", value: "E", isNeeded: true, does: "the account's e-mail address" },
      "password-stdin": {
        type: "boolean",
        isNeeded: true,
        does: "read the password from standard input: the first line",
      },
    },
  },
  async ({ values }) => {
    const passwordHash = await passwordHashOnStdin();
    await withPlaten(values.data, async (platen) => {
      const account = accountNamed(platen, values.email);
      setPassword(platen, account, passwordHash);
      await print(`The password of ${account.email} is set.`);
    });
  },
);
