import { and, desc, eq, isNull, lt, or, sql } from "drizzle-orm";
import { MINUTE } from "../config/units";
import { findRowByColumn, findRows, insertRow, prepared, updateRow, updateRows } from "../database/rows";
import { keyBlogs, keys } from "../database/schema";
import { inInvisibleTransaction } from "../database/transactions";
import { assertRules, invalid, tooLong } from "../errors";
import type { Platen } from "../platen";
import { hashSecret, newSecret } from "../secrets";
import { type Account, accountById } from "./accounts";
import { recordAuditEvent } from "./audit-log";

export const SCOPES = ["read", "create", "update", "delete", "media", "draft", "subscribers"] as const;
export type Scope = (typeof SCOPES)[number];

/** Additional scopes of apps (IndieAuth 5.3.4, Micropub). */
export const APP_SCOPES = ["undelete", "profile", "email"] as const;

/** Without `draft`, which restricts a key, and `subscribers`, which gives access to readers' addresses. */
export const STANDARD_SCOPES: Scope[] = SCOPES.filter(
  (scope) => scope !== "draft" && scope !== "subscribers",
);

type AnyScope = Scope | (typeof APP_SCOPES)[number];

/** In display order. `undelete` allows nothing that `update` does not. */
export const SCOPE_LABELS: Record<Exclude<AnyScope, "undelete">, string> = {
  create: "Publish new posts",
  draft: "Write drafts, without publishing them",
  update: "Edit, publish, unpublish and restore posts",
  delete: "Delete posts",
  media: "Upload pictures and videos",
  read: "Read your posts and drafts",
  subscribers: "Read and change newsletter subscribers",
  profile: "Know your name",
  email: "Know your e-mail address",
};

export type KeyRow = typeof keys.$inferSelect;

const MAX_NAME_LENGTH = 200;

export interface Caller {
  key: KeyRow;
  account: Account;
  /** null for all of the account's blogs. */
  blogIds: number[] | null;
}

export interface NewKey {
  name?: string;
  scopes?: string[];
  /** null or empty: all of the account's blogs. */
  blogIds?: number[] | null;
  lifetime?: number;
  /** client_id of the app that gets the key. Such a key may have APP_SCOPES. */
  clientId?: string;
}

/**
 * @returns the key's text, of which only the hash is stored, and the key's row
 * @throws Refusal (invalid)
 */
export function makeKey(platen: Platen, account: Account, input: NewKey = {}): { text: string; row: KeyRow } {
  const scopes = input.scopes ?? STANDARD_SCOPES;
  const known: readonly string[] = input.clientId ? [...SCOPES, ...APP_SCOPES] : SCOPES;
  const unknown = scopes.find((scope) => !known.includes(scope));
  if (unknown !== undefined) throw invalid({ scope: [`"${unknown}" is not one of ${SCOPES.join(", ")}`] });
  if (scopes.length === 0) throw invalid({ scope: [`must name at least one of ${SCOPES.join(", ")}`] });
  assertRules({ name: tooLong(input.name, MAX_NAME_LENGTH) });
  const text = newKeyText();
  const at = platen.now();
  const values = {
    accountId: account.id,
    name: input.name?.trim() || "API key",
    hash: hashSecret(text),
    scopes: [...new Set(scopes)],
    createdAt: at,
    expiresAt: input.lifetime === undefined ? null : new Date(at.getTime() + input.lifetime),
    clientId: input.clientId,
  };
  const row = insertRow(platen, keys, values);
  for (const blogId of new Set(input.blogIds)) insertRow(platen, keyBlogs, { keyId: row.id, blogId });
  recordAuditEvent(platen, "made a key", { account, about: row.name });
  return { text, row };
}

export function newKeyText(): string {
  return `platen_${newSecret()}`;
}

const keyWithHash = findRowByColumn(keys, "hash");
const blogsOfKey = prepared((db) =>
  db
    .select({ blogId: keyBlogs.blogId })
    .from(keyBlogs)
    .where(eq(keyBlogs.keyId, sql.placeholder("keyId")))
    .prepare(),
);

/** @returns null if the key is unknown, revoked or expired, or if its account is disabled */
export function authenticateKey(platen: Platen, presented: string): Caller | null {
  const key = findKeyByText(platen, presented);
  if (!key || key.revokedAt || (key.expiresAt && key.expiresAt <= platen.now())) return null;
  const account = accountById(platen, key.accountId);
  if (!account || account.disabledAt) return null;
  const blogIds = blogsOfKey(platen)
    .all({ keyId: key.id })
    .map(({ blogId }) => blogId);
  return { key, account, blogIds: blogIds.length > 0 ? blogIds : null };
}

/** Also finds revoked and expired keys. */
export function findKeyByText(platen: Platen, presented: string): KeyRow | undefined {
  return keyWithHash(platen, hashSecret(presented));
}

export function listKeys(platen: Platen): ListedKey[] {
  return withBlogs(platen, findRows(platen, keys, undefined, { orderBy: keys.id }));
}

/**
 * Returns the keys to revoke when a blog is removed: those limited to this blog, and those of apps that
 * signed in with its URL. Without its last blog, a limited key would have an empty list, which allows all
 * blogs.
 */
export function keysToRevokeWith(platen: Platen, blogId: number): KeyRow[] {
  const isLimitedToBlog = sql`${keys.id} in
    (select key_id from key_blogs group by key_id having min(blog_id) = ${blogId} and max(blog_id) = ${blogId})`;
  const isSignedInAsBlog = sql`${keys.id} in
    (select used_for_key_id from authorization_codes where blog_id = ${blogId})`;
  return findRows(platen, keys, or(isLimitedToBlog, isSignedInAsBlog));
}

export function revokeKey(platen: Platen, id: number): boolean {
  const revoked = updateRow(platen, keys, { id, revokedAt: null }, { revokedAt: platen.now() });
  if (!revoked) return false;
  const account = accountById(platen, revoked.accountId) ?? null;
  recordAuditEvent(platen, "revoked a key", { account, about: revoked.name });
  return true;
}

/** An empty list of blogs means all blogs. */
export interface ListedKey extends KeyRow {
  blogIds: number[];
}

export function listAccountKeys(
  platen: Platen,
  { id }: Pick<Account, "id">,
  { ofApps, page, limit }: { ofApps: boolean; page: number; limit: number },
): { rows: ListedKey[]; hasMore: boolean } {
  saveKeyUses(platen);
  const isListed = and(eq(keys.accountId, id), sql`(${keys.clientId} is not null) = ${ofApps ? 1 : 0}`);
  const orderBy = [sql`(${keys.revokedAt} is not null)`, desc(keys.id)];
  const rows = findRows(platen, keys, isListed, { orderBy, limit: limit + 1, offset: (page - 1) * limit });
  return { rows: withBlogs(platen, rows.slice(0, limit)), hasMore: rows.length > limit };
}

export function findAccountKey(platen: Platen, account: Pick<Account, "id">, id: number) {
  saveKeyUses(platen);
  return withBlogs(platen, findRows(platen, keys, { id, accountId: account.id }))[0];
}

function withBlogs(platen: Platen, rows: KeyRow[]): ListedKey[] {
  const bound = Map.groupBy(findRows(platen, keyBlogs), (row) => row.keyId);
  return rows.map((key) => ({ ...key, blogIds: (bound.get(key.id) ?? []).map((row) => row.blogId) }));
}

export type KeyOrigin = Pick<KeyRow, "lastUsedFrom" | "lastUsedBy">;

interface Use {
  lastUsedAt: Date;
  origin: KeyOrigin | null;
  isSaved: boolean;
}

const uses = new WeakMap<Platen, Map<number, Use>>();

/**
 * Records a use in memory, at most once a minute, so that requests do not wait for the database.
 * @param origin called only if the use is recorded
 */
export function recordKeyUse(platen: Platen, keyId: number, origin: () => KeyOrigin | null): void {
  const all = uses.getOrInsertComputed(platen, () => new Map<number, Use>());
  const lastUsedAt = platen.now();
  const last = all.get(keyId);
  if (last && Math.abs(lastUsedAt.getTime() - last.lastUsedAt.getTime()) < MINUTE) return;
  all.set(keyId, { lastUsedAt, origin: origin() ?? last?.origin ?? null, isSaved: false });
}

export function saveKeyUses(platen: Platen): void {
  const unsaved = [...(uses.get(platen) ?? [])].filter(([, use]) => !use.isSaved);
  if (unsaved.length === 0) return;
  inInvisibleTransaction(platen, () => {
    for (const [keyId, { lastUsedAt, origin }] of unsaved) {
      const isNewer = or(isNull(keys.lastUsedAt), lt(keys.lastUsedAt, lastUsedAt));
      updateRows(platen, keys, and(eq(keys.id, keyId), isNewer), { lastUsedAt, ...origin });
    }
  });
  for (const [, use] of unsaved) use.isSaved = true;
}
