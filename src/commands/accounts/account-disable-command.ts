import { disableAccount } from "../../accounts/roles-and-disabling";
import { command } from "../shell/command";
import { withPlaten } from "../shell/data-folder";
import { accountNamed } from "../shell/named-rows";
import { print } from "../shell/printing";

export default command(
  {
    does: "keep an account from signing in, and its keys from working; its blogs stay",
    options: {
      email: { type: "string", value: "E", isNeeded: true, does: "the account's e-mail address" },
    },
  },
  async ({ values: { email, data } }) => {
    await withPlaten(data, async (platen) => {
      const account = accountNamed(platen, email);
      disableAccount(platen, account);
      await print(`${account.email} is disabled.`);
    });
  },
);
