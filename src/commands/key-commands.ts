import type { Account } from "../accounts/accounts";
import { SCOPES, STANDARD_SCOPES } from "../accounts/key-scopes";
import { listKeys, makeKey, revokeKey } from "../accounts/keys";
import { DAY, parseDuration } from "../config/units";
import { inTransaction } from "../database/transactions";
import type { Platen } from "../platen";
import { folderCommand } from "./shell/command";
import { ArgumentError, CommandError } from "./shell/command-errors";
import { requireAccount, requireBlog, slugsOfBlogs } from "./shell/lookups";
import { print, printList, toRow } from "./shell/printing";
import { choiceOf, idOf, json, option, parsed, repeatable, required } from "./shell/usage";

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
  async (platen, { values: { name, scope: scopes, expires: lifetime, ...values } }) => {
    const { text } = inTransaction(platen, () => {
      const account = requireAccount(platen, values.account);
      const blogIds = values.blog.map((slug) => requireBlogOf(platen, account, slug));
      return makeKey(platen, account, { name, scopes, blogIds, lifetime });
    });
    await print(text);
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

const COLUMNS = ["id", "account", "name", "scopes", "blogs", "expires_at", "revoked_at", "last_used_at"];

export const keyList = folderCommand(
  { help: "list API keys", options: { json } },
  async (platen, { values }) => {
    const slugs = slugsOfBlogs(platen);
    const rows = listKeys(platen).map((key) => ({
      id: key.id,
      account: key.email,
      ...toRow(key, ["name", "scopes"]),
      blogs: key.blogIds.map((id) => slugs.get(id) as string),
      ...toRow(key, ["createdAt", "expiresAt", "revokedAt", "lastUsedAt", "lastUsedFrom", "lastUsedBy"]),
    }));
    await printList(rows, COLUMNS, values.json);
  },
);

export const keyRevoke = folderCommand(
  { help: "revoke an API key", operands: [idOf("key")] },
  async (platen, { operands: [id] }) => {
    if (!revokeKey(platen, id)) throw new CommandError(`There is no active key ${id}.`);
    await print(`Revoked key ${id}.`);
  },
);
