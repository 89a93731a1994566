import { type Account, accountWithEmail, addAccount, listAccounts } from "../../accounts/accounts";
import { setPassword } from "../../accounts/passwords";
import { inTransaction } from "../../database/transactions";
import type { Platen } from "../../platen";
import { argumentsOf, secondWordMissing } from "../shell/arguments";
import { CommandFault, withPlaten } from "../shell/data-folder";
import { passwordHashFrom, passwordHashOnStdin } from "../shell/password-input";
import { print, printList } from "../shell/printing";

/** `platen account add|password|list` */
export async function account([verb, ...args]: string[]): Promise<number> {
  if (verb === "add") return await add(args);
  if (verb === "password") return await password(args);
  if (verb === "list") return await list(args);
  throw secondWordMissing("account", verb);
}

async function add(args: string[]): Promise<number> {
  const { values } = argumentsOf("account add", args);
  const { email, name, admin: isAdmin } = values;
  const passwordHash = await passwordHashFrom(values["password-stdin"]);
  return await withPlaten(values.data, async (platen) => {
    const added = inTransaction(platen, () => addAccount(platen, { email, name, isAdmin, passwordHash }));
    await print(String(added.id));
    return 0;
  });
}

async function password(args: string[]): Promise<number> {
  const { values } = argumentsOf("account password", args);
  const passwordHash = await passwordHashOnStdin();
  return await withPlaten(values.data, async (platen) => {
    const account = accountNamed(platen, values.email);
    setPassword(platen, account, passwordHash);
    await print(`The password of ${account.email} is set.`);
    return 0;
  });
}

async function list(args: string[]): Promise<number> {
  const { values } = argumentsOf("account list", args);
  return await withPlaten(values.data, async (platen) => {
    const rows = listAccounts(platen).map((row) => ({
      id: row.id,
      email: row.email,
      name: row.name,
      is_admin: row.isAdmin,
      created_at: row.createdAt,
    }));
    await printList(rows, ["id", "email", "name", "is_admin", "created_at"], values.json);
    return 0;
  });
}

/** The account that --account names. */
export function accountNamed(platen: Platen, email: string): Account {
  const found = accountWithEmail(platen, email);
  if (!found) throw new CommandFault(`There is no account with the e-mail address ${email}.`);
  return found;
}
