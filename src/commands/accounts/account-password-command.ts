import { revokeAppKeys } from "../../accounts/app-keys";
import { setPassword } from "../../accounts/passwords";
import { inTransaction } from "../../database/transactions";
import { command } from "../shell/command";
import { ArgumentFault } from "../shell/command-faults";
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
        does: "read the password from standard input [asks for it]",
      },
      "revoke-apps": {
        type: "boolean",
        does: "also end the keys of all apps that were signed in to: they have to sign in again",
      },
    },
  },
  async ({ values }) => {
    if (!values["password-stdin"] && !process.stdin.isTTY)
      throw new ArgumentFault("--password-stdin is missing, and there is no terminal to ask on");
    const passwordHash = await passwordHashOnStdin();
    await withPlaten(values.data, async (platen) => {
      const account = accountNamed(platen, values.email);
      const revoked = inTransaction(platen, () => {
        setPassword(platen, account, passwordHash);
        return values["revoke-apps"] ? revokeAppKeys(platen, account) : 0;
      });
      const said = [`The password of ${account.email} is set.`];
      if (values["revoke-apps"]) said.push(`Keys of apps that are revoked: ${revoked}.`);
      await print(said.join(" "));
    });
  },
);
