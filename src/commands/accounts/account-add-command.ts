import { addAccount } from "../../accounts/accounts";
import { inTransaction } from "../../database/transactions";
import { command } from "../shell/command";
import { passwordStdin } from "../shell/common-options";
import { withPlaten } from "../shell/data-folder";
import { passwordHashFrom } from "../shell/password-input";
import { print } from "../shell/printing";

export default command(
  {
    does: "add an account; prints its id",
    options: {
      email: { type: "string", value: "E", isNeeded: true, does: "its e-mail address" },
      name: { type: "string", value: "N", does: "its name" },
      admin: { type: "boolean", does: "it may look after the whole instance" },
      "password-stdin": passwordStdin,
    },
  },
  async ({ values }) => {
    const { email, name, admin: isAdmin } = values;
    const passwordHash = await passwordHashFrom(values["password-stdin"]);
    await withPlaten(values.data, async (platen) => {
      const account = inTransaction(platen, () => addAccount(platen, { email, name, isAdmin, passwordHash }));
      await print(String(account.id));
    });
  },
);
