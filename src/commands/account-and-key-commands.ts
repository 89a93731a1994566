import type { Account } from "../accounts/accounts";
import { accountById, addAccount, assertOtherAdmin, changeAccount, listAccounts } from "../accounts/accounts";
import { listKeys, makeKey, revokeKey, SCOPES, STANDARD_SCOPES } from "../accounts/api-keys";
import { revokeAppKeys } from "../accounts/app-tokens";
import { hashPassword, setPassword } from "../accounts/passwords";
import {
  disableAccount,
  enableAccount,
  invite,
  makeAdmin,
  makeAuthor,
} from "../accounts/people-and-invitations";
import { recoveryCodesLeft, turnOffTwoFactor, twoFactorSince } from "../accounts/two-factor";
import { blogsOf } from "../blogs/blogs";
import { DAY, parseDuration } from "../config/units";
import { inTransaction } from "../database/transactions";
import type { Platen } from "../platen";
import { counted } from "../text/numbers";
import { removeAccount } from "../upkeep/removal/removal";
import { removeAndReport, summarizeBlog } from "./blog-commands";
import { folderCommand, listCommand, requireAccount, requireBlog, slugsOfBlogs } from "./shell/command";
import { ArgumentError, CommandError, unconfirmed } from "./shell/command-errors";
import { readPassword, toRow } from "./shell/terminal";
import {
  choiceOf,
  email,
  flag,
  idOf,
  option,
  parsed,
  passwordStdin,
  repeatable,
  required,
  yes,
} from "./shell/usage";

export const accountAdd = folderCommand(
  {
    help: "add an account and print its id",
    options: {
      email,
      name: option("N", "name of the account's owner"),
      admin: flag("make the account an admin [author]"),
      "password-stdin": passwordStdin,
    },
  },
  async (platen, { values }) => {
    const { email, name, admin: isAdmin } = values;
    const passwordHash = values["password-stdin"] ? await hashPassword(await readPassword()) : null;
    const account = inTransaction(platen, () => addAccount(platen, { email, name, isAdmin, passwordHash }));
    return String(account.id);
  },
);

export const accountInvite = folderCommand(
  {
    help: "print a single-use invitation link, valid 7 days",
    options: {
      for: option("TEXT", "note shown in the list of invitations"),
      admin: flag("invite an admin instead of an author"),
    },
  },
  (platen, { values: { for: forWhom, admin: isAdmin } }) =>
    invite(platen, { invitedBy: null, forWhom, isAdmin }),
);

const ROLES = { admin: makeAdmin, author: makeAuthor };

export const accountSet = folderCommand(
  {
    help: "change an account's name, e-mail address or role",
    operands: ["EMAIL"],
    options: {
      name: option("N", "new name"),
      email: option("E", "new e-mail address for signing in"),
      role: parsed(
        "admin|author",
        "admins manage the server, authors only their own blogs",
        choiceOf(["admin", "author"] as const),
      ),
    },
  },
  (platen, { values: { name, email, role }, operands: [currentEmail] }) => {
    if (name === undefined && email === undefined && role === undefined)
      throw new ArgumentError("Nothing to change: pass --name, --email or --role");
    const account = inTransaction(platen, () => {
      const changed = changeAccount(platen, requireAccount(platen, currentEmail), { name, email });
      if (role) ROLES[role](platen, changed);
      return changed;
    });
    return `Saved the account: ${account.name}, ${account.email}.`;
  },
);

export const accountPassword = folderCommand(
  {
    help: "set an account's password and end its sessions",
    options: {
      email,
      "password-stdin": flag("read the password from standard input [ask for it]"),
      "revoke-apps": flag("also revoke the keys of all connected apps"),
    },
  },
  async (platen, { values }) => {
    if (!values["password-stdin"] && !process.stdin.isTTY)
      throw new ArgumentError("--password-stdin is missing, and there is no terminal to prompt on");
    const passwordHash = await hashPassword(await readPassword());
    const account = requireAccount(platen, values.email);
    const revoked = inTransaction(platen, () => {
      setPassword(platen, account, passwordHash);
      return values["revoke-apps"] ? revokeAppKeys(platen, account) : 0;
    });
    const apps = values["revoke-apps"] ? ` App keys revoked: ${revoked}.` : "";
    return `Changed the password of ${account.email}.${apps}`;
  },
);

export const accountTwoFactor = folderCommand(
  {
    help: "show or turn off two-factor authentication",
    options: { email, off: flag("turn it off, for example if the authenticator app is lost") },
  },
  (platen, { values: { email, off } }) => {
    const account = requireAccount(platen, email);
    if (off) turnOffTwoFactor(platen, account);
    const since = twoFactorSince(platen, account);
    if (!since) return `Two-factor authentication is off for ${account.email}.`;
    const left = counted(recoveryCodesLeft(platen, account), "recovery code");
    return `Two-factor authentication has been on for ${account.email} since ${since.toISOString().slice(0, 10)}; ${left} left.`;
  },
);

export const accountDisable = folderCommand(
  { help: "block an account and its keys; its blogs stay online", options: { email } },
  (platen, { values: { email } }) => {
    const account = requireAccount(platen, email);
    disableAccount(platen, account);
    return `Disabled ${account.email}.`;
  },
);

export const accountEnable = folderCommand(
  { help: "re-enable a disabled account", options: { email } },
  (platen, { values: { email } }) => {
    const account = requireAccount(platen, email);
    enableAccount(platen, account);
    return `${account.email} can sign in again.`;
  },
);

export const accountRemove = folderCommand(
  { help: "remove an account and its blogs; keep a copy", options: { email, yes } },
  async (platen, { values: { email, data, ...values } }) => {
    const account = requireAccount(platen, email);
    assertOtherAdmin(platen, account);
    const blogs = blogsOf(platen, account);
    if (!values.yes) {
      const keys = listKeys(platen).filter((key) => key.accountId === account.id && key.revokedAt === null);
      const parts = blogs.map((blog) => `, ${summarizeBlog(platen, blog)}`).join("");
      const effect = `This would remove the account ${account.email} (${counted(keys.length, "key")})${parts}`;
      throw unconfirmed(effect, `platen account remove --email ${email}`, data);
    }
    await removeAndReport(platen, blogs, (options) => removeAccount(platen, account, options));
  },
);

export const accountList = listCommand(
  { help: "list accounts" },
  ["id", "email", "name", "is_admin", "disabled_at", "created_at"],
  (platen) =>
    listAccounts(platen).map((account) =>
      toRow(account, ["id", "email", "name", "isAdmin", "disabledAt", "createdAt"]),
    ),
);

const MAX_LIFETIME_DAYS = 36_500;

export const keyAdd = folderCommand(
  {
    help: "create an API key and print it",
    options: {
      account: required("E", "e-mail address of the owner's account"),
      name: option("N", "name of the key, to recognize it later"),
      scope: parsed("a,b", `[${STANDARD_SCOPES.join(",")}]; also: draft, subscribers`, parseScopes),
      blog: repeatable("SLUG", "limit the key to this blog [all blogs]"),
      expires: parsed("30d", "lifetime: a number with s, m, h or d, like 30d [unlimited]", parseLifetime),
    },
  },
  (platen, { values: { name, scope: scopes, expires: lifetime, ...values } }) => {
    const key = inTransaction(platen, () => {
      const account = requireAccount(platen, values.account);
      const blogIds = values.blog.map((slug) => requireBlogOf(platen, account, slug));
      return makeKey(platen, account, { name, scopes, blogIds, lifetime });
    });
    return key.text;
  },
);

function parseScopes(text: string, name: string): string[] {
  return text.split(",").map((scope) => choiceOf(SCOPES)(scope.trim(), name));
}

function parseLifetime(text: string, name: string): number {
  const lifetime = parseDuration(text);
  if (lifetime === null)
    throw new ArgumentError(`${name} is "${text}"; it must be a number and s, m, h or d, like 30d`);
  if (lifetime > MAX_LIFETIME_DAYS * DAY)
    throw new ArgumentError(`${name} is "${text}"; it must be at most ${MAX_LIFETIME_DAYS}d`);
  return lifetime;
}

function requireBlogOf(platen: Platen, account: Account, slug: string): number {
  const blog = requireBlog(platen, slug);
  if (blog.accountId !== account.id)
    throw new CommandError(`The blog ${slug} does not belong to ${account.email}.`);
  return blog.id;
}

export const keyList = listCommand(
  { help: "list API keys" },
  ["id", "account", "name", "scopes", "blogs", "expires_at", "revoked_at", "last_used_at"],
  (platen) => {
    const slugs = slugsOfBlogs(platen);
    return listKeys(platen).map((key) => ({
      id: key.id,
      account: accountById(platen, key.accountId)?.email,
      ...toRow(key, ["name", "scopes"]),
      blogs: key.blogIds.map((id) => slugs.get(id) as string),
      ...toRow(key, ["createdAt", "expiresAt", "revokedAt", "lastUsedAt", "lastUsedFrom", "lastUsedBy"]),
    }));
  },
);

export const keyRevoke = folderCommand(
  { help: "revoke an API key", operands: [idOf("key")] },
  (platen, { operands: [id] }) => {
    if (!revokeKey(platen, id)) throw new CommandError(`There is no active key ${id}.`);
    return `Revoked key ${id}.`;
  },
);
