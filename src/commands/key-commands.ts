import type { Account } from "../accounts/accounts";
import { SCOPES, STANDARD_SCOPES } from "../accounts/key-scopes";
import { listKeys, makeKey, revokeKey } from "../accounts/keys";
import { listBlogs } from "../blogs/blogs";
import { DAY, parseDuration } from "../config/units";
import { inTransaction } from "../database/transactions";
import type { Platen } from "../platen";
import { folderCommand, parsedCommand } from "./shell/command";
import { ArgumentError, CommandError } from "./shell/command-errors";
import { parseChoice, parseId, requireAccount, requireBlog } from "./shell/lookups";
import { print, printList } from "./shell/printing";
import { json, option, repeatable, required } from "./shell/usage";

const MAX_LIFETIME_DAYS = 36_500;

export const keyAdd = parsedCommand(
  {
    help: "create an API key and print it",
    options: {
      account: required("E", "e-mail address of the owner's account"),
      name: option("N", "name of the key, to recognize it later"),
      scope: option("a,b", `[${STANDARD_SCOPES.join(",")}]; also: draft, subscribers`),
      blog: repeatable("SLUG", "limit the key to this blog [all blogs]"),
      expires: option("30d", "lifetime: a number with s, m, h or d, like 30d [unlimited]"),
    },
  },
  ({ values: { expires, scope } }) => ({
    lifetime: expires === undefined ? undefined : parseLifetime(expires),
    scopes: scope === undefined ? undefined : parseScopes(scope),
  }),
  async (platen, { values }, { lifetime, scopes }) => {
    const { text } = inTransaction(platen, () => {
      const account = requireAccount(platen, values.account);
      const blogIds = values.blog.map((slug) => requireBlogOf(platen, account, slug));
      return makeKey(platen, account, { name: values.name, scopes, blogIds, lifetime });
    });
    await print(text);
  },
);

function parseScopes(text: string): string[] {
  return text.split(",").map((scope) => parseChoice("--scope", scope.trim(), SCOPES));
}

function parseLifetime(text: string): number {
  const lifetime = parseDuration(text);
  if (lifetime === null)
    throw new ArgumentError(`--expires is "${text}"; it must be a number and s, m, h or d, like 30d`);
  if (lifetime > MAX_LIFETIME_DAYS * DAY)
    throw new ArgumentError(`--expires is "${text}"; it must be at most ${MAX_LIFETIME_DAYS}d`);
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
    const slugs = new Map(listBlogs(platen).map(({ id, slug }) => [id, slug]));
    const rows = listKeys(platen).map((key) => ({
      id: key.id,
      account: key.email,
      name: key.name,
      scopes: key.scopes,
      blogs: key.blogIds.map((id) => slugs.get(id) as string),
      created_at: key.createdAt,
      expires_at: key.expiresAt,
      revoked_at: key.revokedAt,
      last_used_at: key.lastUsedAt,
      last_used_from: key.lastUsedFrom,
      last_used_by: key.lastUsedBy,
    }));
    await printList(rows, COLUMNS, values.json);
  },
);

export const keyRevoke = parsedCommand(
  { help: "revoke an API key", operands: ["ID"] },
  ({ operands: [text] }) => parseId(text, "key"),
  async (platen, _typed, id) => {
    if (!revokeKey(platen, id)) throw new CommandError(`There is no active key ${id}.`);
    await print(`Revoked key ${id}.`);
  },
);
