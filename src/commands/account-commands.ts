import {
  type Account,
  addAccount,
  assertOtherAdmin,
  changeAccount,
  listAccounts,
} from "../accounts/accounts";
import { revokeAppKeys } from "../accounts/app-keys";
import { invitationUrl, invite } from "../accounts/invitations";
import { listKeys } from "../accounts/keys";
import { setPassword } from "../accounts/passwords";
import { disableAccount, enableAccount, makeAdmin, makeAuthor } from "../accounts/people";
import { recoveryCodesLeft, turnOffTwoFactor, twoFactorSince } from "../accounts/two-factor";
import { blogsOf } from "../blogs/blogs";
import { inTransaction } from "../database/transactions";
import type { Platen } from "../platen";
import { counted } from "../text/numbers";
import { removeAccount } from "../upkeep/removal/removal";
import { announceRemovals, progress, removeAndReport, summarizeBlog } from "./removal-report";
import { command } from "./shell/command";
import { ArgumentError, unconfirmed } from "./shell/command-errors";
import { email, json, passwordStdin, yes } from "./shell/common-options";
import { withPlaten } from "./shell/data-folder";
import { requireAccount } from "./shell/lookups";
import { readPasswordHash } from "./shell/password-input";
import { print, printList } from "./shell/printing";
import { flag, option } from "./shell/usage";

export const accountAdd = command(
  {
    help: "add an account and print its id",
    options: {
      email,
      name: option("N", "name of the account"),
      admin: flag("may manage the whole instance [own blogs only]"),
      "password-stdin": passwordStdin,
    },
  },
  async ({ values }) => {
    const { email, name, admin: isAdmin } = values;
    const passwordHash = values["password-stdin"] ? await readPasswordHash() : null;
    await withPlaten(values.data, async (platen) => {
      const account = inTransaction(platen, () => addAccount(platen, { email, name, isAdmin, passwordHash }));
      await print(String(account.id));
    });
  },
);

export const accountInvite = command(
  {
    help: "print an invitation link, valid once within 7 days",
    options: {
      for: option("TEXT", "note for the list of invitations"),
      admin: flag("may manage the whole instance [own blogs only]"),
    },
  },
  async ({ values: { for: forWhom, admin: isAdmin, data } }) => {
    await withPlaten(data, async (platen) => {
      await print(invitationUrl(platen, invite(platen, { invitedBy: null, forWhom, isAdmin })));
    });
  },
);

const ROLES = { admin: makeAdmin, author: makeAuthor };

export const accountSet = command(
  {
    help: "change an account's name, e-mail address or role",
    operands: ["EMAIL"],
    options: {
      name: option("N", "new name"),
      email: option("E", "new e-mail address for signing in"),
      role: option("admin|author", "manage the whole instance, or only own blogs"),
    },
  },
  async ({ values: { name, email, role, data }, operands: [currentEmail] }) => {
    if (role !== undefined && role !== "admin" && role !== "author")
      throw new ArgumentError("--role must be admin or author");
    if (name === undefined && email === undefined && role === undefined)
      throw new ArgumentError("Nothing to change: name at least one option");
    await withPlaten(data, async (platen) => {
      const account = inTransaction(platen, () => {
        const changed = changeAccount(platen, requireAccount(platen, currentEmail), { name, email });
        if (role) ROLES[role](platen, changed);
        return changed;
      });
      await print(`The account is ${account.name}, ${account.email}.`);
    });
  },
);

export const accountPassword = command(
  {
    help: "set an account's password and end its sessions",
    options: {
      email,
      "password-stdin": flag("read the password from standard input [ask for it]"),
      "revoke-apps": flag("also revoke the keys of all connected apps"),
    },
  },
  async ({ values }) => {
    if (!values["password-stdin"] && !process.stdin.isTTY)
      throw new ArgumentError("--password-stdin is missing, and there is no terminal to ask on");
    const passwordHash = await readPasswordHash();
    await withPlaten(values.data, async (platen) => {
      const account = requireAccount(platen, values.email);
      const revoked = inTransaction(platen, () => {
        setPassword(platen, account, passwordHash);
        return values["revoke-apps"] ? revokeAppKeys(platen, account) : 0;
      });
      const apps = values["revoke-apps"] ? ` App keys revoked: ${revoked}.` : "";
      await print(`The password of ${account.email} is set.${apps}`);
    });
  },
);

export const accountTwoFactor = command(
  {
    help: "show or turn off two-factor authentication",
    options: { email, off: flag("turn it off, for somebody who lost the app") },
  },
  async ({ values: { email, off, data } }) => {
    await withPlaten(data, async (platen) => {
      const account = requireAccount(platen, email);
      if (off) turnOffTwoFactor(platen, account);
      const since = twoFactorSince(platen, account);
      if (!since) return await print(`Two-factor authentication is off for ${account.email}.`);
      const left = counted(recoveryCodesLeft(platen, account), "recovery code");
      const day = since.toISOString().slice(0, 10);
      await print(`Two-factor authentication is on for ${account.email} since ${day}; ${left} left.`);
    });
  },
);

export const accountDisable = command(
  { help: "block an account and its keys; its blogs stay online", options: { email } },
  async ({ values: { email, data } }) => {
    await withPlaten(data, async (platen) => {
      const account = requireAccount(platen, email);
      disableAccount(platen, account);
      await print(`${account.email} is disabled.`);
    });
  },
);

export const accountEnable = command(
  { help: "re-enable a disabled account", options: { email } },
  async ({ values: { email, data } }) => {
    await withPlaten(data, async (platen) => {
      const account = requireAccount(platen, email);
      enableAccount(platen, account);
      await print(`${account.email} can sign in again.`);
    });
  },
);

export const accountRemove = command(
  { help: "remove an account and its blogs; keeps a copy", options: { email, yes, progress } },
  async ({ values: { email, data, ...values } }) => {
    await withPlaten(data, async (platen) => {
      const account = requireAccount(platen, email);
      assertOtherAdmin(platen, account);
      if (!values.yes)
        throw unconfirmed(
          `This would remove ${summarizeAccount(platen, account)}`,
          `platen account remove --email ${email}`,
          data,
        );
      await announceRemovals(platen, blogsOf(platen, account));
      await removeAndReport(platen, values.progress, (wish) => removeAccount(platen, account, wish));
    });
  },
);

function summarizeAccount(platen: Platen, account: Account): string {
  const keys = listKeys(platen).filter((key) => key.accountId === account.id && key.revokedAt === null);
  const blogs = blogsOf(platen, account).map((blog) => summarizeBlog(platen, blog));
  return [`the account ${account.email} (${counted(keys.length, "key")})`, ...blogs].join(", ");
}

export const accountList = command({ help: "list accounts", options: { json } }, async ({ values }) => {
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
