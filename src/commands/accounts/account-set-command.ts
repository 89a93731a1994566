import { changeAccount } from "../../accounts/accounts";
import { makeAdmin, makeAuthor } from "../../accounts/roles-and-disabling";
import { inTransaction } from "../../database/transactions";
import { command } from "../shell/command";
import { ArgumentFault } from "../shell/command-faults";
import { withPlaten } from "../shell/data-folder";
import { accountNamed } from "../shell/named-rows";
import { print } from "../shell/printing";

const ROLES = { admin: makeAdmin, author: makeAuthor };

export default command(
  {
    does: "change an account's name, its e-mail address, or what it may do",
    operand: { name: "EMAIL", isNeeded: true },
    options: {
      name: { type: "string", value: "N", does: "its name" },
      email: { type: "string", value: "E", does: "the e-mail address it signs in with from now on" },
      role: { type: "string", value: "admin|author", does: "look after the instance, or its own blogs only" },
    },
  },
  async ({ values: { name, email, role, data }, operand }) => {
    if (role !== undefined && role !== "admin" && role !== "author")
      throw new ArgumentFault("--role takes admin or author");
    if (name === undefined && email === undefined && role === undefined)
      throw new ArgumentFault("Nothing is said about what to change");
    await withPlaten(data, async (platen) => {
      const account = inTransaction(platen, () => {
        const changed = changeAccount(platen, accountNamed(platen, operand), { name, email });
        if (role) ROLES[role](platen, changed);
        return changed;
      });
      await print(`The account is ${account.name}, ${account.email}.`);
    });
  },
);
