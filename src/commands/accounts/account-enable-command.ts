import { enableAccount } from "../../accounts/roles-and-disabling";
import { command } from "../shell/command";
import { withPlaten } from "../shell/data-folder";
import { accountNamed } from "../shell/named-rows";
import { print } from "../shell/printing";

export default command(
  {
    does: "let an account that was disabled sign in again",
    options: {
      email: { type: "string", value: "E", isNeeded: true, does: "the account's e-mail address" },
    },
  },
  async ({ values: { email, data } }) => {
    await withPlaten(data, async (platen) => {
      const account = accountNamed(platen, email);
      enableAccount(platen, account);
      await print(`${account.email} can sign in again.`);
    });
  },
);
