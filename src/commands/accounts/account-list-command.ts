import { listAccounts } from "../../accounts/accounts";
import { command } from "../shell/command";
import { json } from "../shell/common-options";
import { withPlaten } from "../shell/data-folder";
import { printList } from "../shell/printing";

export default command({ does: "list the accounts", options: { json } }, async ({ values }) => {
  await withPlaten(values.data, async (platen) => {
    const rows = listAccounts(platen).map((account) => ({
      id: account.id,
      email: account.email,
      name: account.name,
      is_admin: account.isAdmin,
      disabled_at: account.disabledAt,
      created_at: account.createdAt,
    }));
    await printList(rows, ["id", "email", "name", "is_admin", "disabled_at", "created_at"], values.json);
  });
});
