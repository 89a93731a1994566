import { changeAccount } from "../../accounts/accounts";
import { inTransaction } from "../../database/transactions";
import { command } from "../shell/command";
import { ArgumentFault } from "../shell/command-faults";
import { withPlaten } from "../shell/data-folder";
import { accountNamed } from "../shell/named-rows";
import { print } from "../shell/printing";

export default command(
  {
    does: "change an account's name or e-mail address",
    operand: { name: "EMAIL", isNeeded: true },
    options: {
      name: { type: "string", value: "N", does: "its name" },
      email: { type: "string", value: "E", does: "the e-mail address it signs in with from now on" },
    },
  },
  async ({ values: { name, email, data }, operand }) => {
    if (name === undefined && email === undefined)
      throw new ArgumentFault("Nothing is said about what to change");
    await withPlaten(data, async (platen) => {
      const account = inTransaction(platen, () =>
        changeAccount(platen, accountNamed(platen, operand), { name, email }),
      );
      await print(`The account is ${account.name}, ${account.email}.`);
    });
  },
);
