import { type Account, demandAnotherAdmin } from "../../accounts/accounts";
import { listKeys } from "../../accounts/keys";
import { blogsOf } from "../../blogs/blogs";
import type { Platen } from "../../platen";
import { counted } from "../../text/numbers";
import { removeAccount } from "../../upkeep/removal/removal";
import { blogInNumbers, progress, removeAndReport, yes } from "../blogs/removal-words";
import { command } from "../shell/command";
import { unconfirmed } from "../shell/command-faults";
import { withPlaten } from "../shell/data-folder";
import { accountNamed } from "../shell/named-rows";

export default command(
  {
    does: "remove an account with its blogs and keys; a copy is kept in the data folder",
    options: {
      email: { type: "string", value: "E", isNeeded: true, does: "the account's e-mail address" },
      yes,
      progress,
    },
  },
  async ({ values: { email, data, ...values } }) => {
    await withPlaten(data, async (platen) => {
      const account = accountNamed(platen, email);
      demandAnotherAdmin(platen, account);
      if (!values.yes)
        throw unconfirmed(
          `This would remove ${inNumbers(platen, account)}`,
          `platen account remove --email ${email}`,
          data,
        );
      await removeAndReport(platen, values.progress, (wish) => removeAccount(platen, account, wish));
    });
  },
);

function inNumbers(platen: Platen, account: Account): string {
  const isOwn = (key: { accountId: number; revokedAt: Date | null }) =>
    key.accountId === account.id && key.revokedAt === null;
  const keys = counted(listKeys(platen).filter(isOwn).length, "key");
  const blogs = blogsOf(platen, account).map((blog) => blogInNumbers(platen, blog));
  return [`the account ${account.email} (${keys})`, ...blogs].join(", ");
}
