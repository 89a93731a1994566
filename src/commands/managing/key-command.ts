import type { Account } from "../../accounts/accounts";
import { listKeys, makeKey, revokeKey } from "../../accounts/keys";
import { blogWithSlug, listBlogs } from "../../blogs/blogs";
import { parseDuration } from "../../config";
import { inTransaction } from "../../database/transactions";
import type { Platen } from "../../platen";
import { argumentsOf, misused, secondWordMissing } from "../shell/arguments";
import { CommandFault, withPlaten } from "../shell/data-folder";
import { print, printList } from "../shell/printing";
import { accountNamed } from "./account-command";

/** A hundred years, in milliseconds: far enough for anybody, and a time the calendar still has. */
const LONGEST_LIFETIME = 36_500 * 86_400_000;

/** `platen key add|list|revoke` */
export async function key([verb, ...args]: string[]): Promise<number> {
  if (verb === "add") return await add(args);
  if (verb === "list") return await list(args);
  if (verb === "revoke") return await revoke(args);
  throw secondWordMissing("key", verb);
}

async function add(args: string[]): Promise<number> {
  const { values } = argumentsOf("key add", args);
  const lifetime = lifetimeOf(values.expires);
  const scopes = values.scope?.split(",").map((scope) => scope.trim());
  return await withPlaten(values.data, async (platen) => {
    const { text } = inTransaction(platen, () => {
      const account = accountNamed(platen, values.account);
      const blogIds = values.blog.map((slug) => idOfBlog(platen, account, slug));
      return makeKey(platen, account, { name: values.name, scopes, blogIds, lifetime });
    });
    await print(text);
    return 0;
  });
}

function lifetimeOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const lifetime = parseDuration(text);
  if (lifetime === null)
    throw misused("key add", `--expires is "${text}"; it must be a number and s, m, h or d, like 30d`);
  if (lifetime > LONGEST_LIFETIME) throw misused("key add", `--expires is "${text}"; 36500d is the most`);
  return lifetime;
}

function idOfBlog(platen: Platen, account: Account, slug: string): number {
  const found = blogWithSlug(platen, slug);
  if (!found) throw new CommandFault(`There is no blog with the slug ${slug}.`);
  if (found.accountId !== account.id)
    throw new CommandFault(`The blog ${slug} belongs to another account than ${account.email}.`);
  return found.id;
}

async function list(args: string[]): Promise<number> {
  const { values } = argumentsOf("key list", args);
  return await withPlaten(values.data, async (platen) => {
    const slugs = new Map(listBlogs(platen).map(({ id, slug }) => [id, slug]));
    const rows = listKeys(platen).map((row) => ({
      id: row.id,
      account: row.email,
      name: row.name,
      scopes: row.scopes,
      blogs: row.blogIds.map((id) => slugs.get(id) as string),
      created_at: row.createdAt,
      expires_at: row.expiresAt,
      revoked_at: row.revokedAt,
    }));
    await printList(
      rows,
      ["id", "account", "name", "scopes", "blogs", "expires_at", "revoked_at"],
      values.json,
    );
    return 0;
  });
}

async function revoke(args: string[]): Promise<number> {
  const { values, operand = "" } = argumentsOf("key revoke", args);
  if (!/^[1-9]\d{0,15}$/.test(operand))
    throw misused("key revoke", `"${operand}" is no key's ID; platen key list shows them`);
  return await withPlaten(values.data, async (platen) => {
    if (!revokeKey(platen, Number(operand))) throw new CommandFault(`There is no key ${operand} in use.`);
    await print(`Key ${operand} is revoked.`);
    return 0;
  });
}
