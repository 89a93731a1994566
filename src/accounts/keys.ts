import { and, eq, inArray, isNotNull, isNull, ne, notInArray, or, type SQL, sql } from "drizzle-orm";
import { prepared } from "../database/prepared";
import { accounts, authorizationCodes, keyBlogs, keys } from "../database/schema";
import { invalid } from "../errors";
import type { Platen } from "../platen";
import { hashSecret, newSecret } from "../secrets";
import { type Account, accountById } from "./accounts";
import { recordAuditEvent } from "./audit-log";

export const SCOPES = ["read", "create", "update", "delete", "media", "draft"] as const;
export type Scope = (typeof SCOPES)[number];
/** Additional scopes for apps (IndieAuth 5.1, Micropub). `update` also allows what `undelete` does. */
export const APP_SCOPES = ["undelete", "profile", "email"] as const;
export type KeyRow = typeof keys.$inferSelect;

/** `draft` restricts a key, so it must be requested. */
export const STANDARD_SCOPES: Scope[] = SCOPES.filter((scope) => scope !== "draft");
const MAX_NAME_LENGTH = 200;

/** A valid key with its account and the blogs it can access. */
export interface Caller {
  key: KeyRow;
  account: Account;
  /** null for all of the account's blogs. */
  blogIds: number[] | null;
}

export interface NewKey {
  name?: string;
  scopes?: string[];
  /** Limits the key to these blogs. */
  blogIds?: number[];
  /** Lifetime of the key in milliseconds. */
  lifetime?: number;
  /** client_id of the app that gets the key. Allows APP_SCOPES. */
  clientId?: string;
}

/**
 * Creates an API key.
 * @returns its text, of which only the hash is stored, and its row
 * @throws Refusal (invalid)
 */
export function makeKey(platen: Platen, account: Account, input: NewKey = {}): { text: string; row: KeyRow } {
  const scopes = input.scopes ?? STANDARD_SCOPES;
  const known: readonly string[] = input.clientId ? [...SCOPES, ...APP_SCOPES] : SCOPES;
  const unknown = scopes.find((scope) => !known.includes(scope));
  if (unknown !== undefined) throw invalid({ scope: [`"${unknown}" is not one of ${SCOPES.join(", ")}`] });
  if (scopes.length === 0) throw invalid({ scope: [`must name at least one of ${SCOPES.join(", ")}`] });
  if ((input.name?.length ?? 0) > MAX_NAME_LENGTH)
    throw invalid({ name: [`must be at most ${MAX_NAME_LENGTH} characters`] });
  const text = newKeyText();
  const at = platen.now();
  const row = platen.db
    .insert(keys)
    .values({
      accountId: account.id,
      name: input.name?.trim() || "API key",
      hash: hashSecret(text),
      scopes: [...new Set(scopes)],
      createdAt: at,
      expiresAt: input.lifetime === undefined ? null : new Date(at.getTime() + input.lifetime),
      clientId: input.clientId ?? null,
    })
    .returning()
    .get();
  for (const blogId of new Set(input.blogIds))
    platen.db.insert(keyBlogs).values({ keyId: row.id, blogId }).run();
  recordAuditEvent(platen, "made a key", { account, about: row.name });
  return { text, row };
}

/** The prefix lets people and secret scanners recognize a key. */
export function newKeyText(): string {
  return `platen_${newSecret()}`;
}

const keyWithHash = prepared((db) =>
  db
    .select({ key: keys, account: accounts })
    .from(keys)
    .innerJoin(accounts, eq(accounts.id, keys.accountId))
    .where(eq(keys.hash, sql.placeholder("hash")))
    .prepare(),
);
const blogsOfKey = prepared((db) =>
  db
    .select({ blogId: keyBlogs.blogId })
    .from(keyBlogs)
    .where(eq(keyBlogs.keyId, sql.placeholder("keyId")))
    .prepare(),
);

/** @returns null if the key is unknown, revoked or expired, or if its account is disabled */
export function authenticateKey(platen: Platen, presented: string): Caller | null {
  const caller = callerOfKey(platen, hashSecret(presented));
  if (!caller || caller.key.revokedAt || caller.account.disabledAt) return null;
  return caller.key.expiresAt && caller.key.expiresAt <= platen.now() ? null : caller;
}

/** Finds a key, even if it is revoked or expired. @returns null if the key is unknown */
export function findKeyByText(platen: Platen, presented: string): KeyRow | null {
  return callerOfKey(platen, hashSecret(presented))?.key ?? null;
}

function callerOfKey(platen: Platen, hash: string): Caller | null {
  const found = keyWithHash(platen).get({ hash });
  if (!found) return null;
  const bound = blogsOfKey(platen).all({ keyId: found.key.id });
  return { ...found, blogIds: bound.length > 0 ? bound.map((row) => row.blogId) : null };
}

export function listKeys(platen: Platen): (KeyRow & { email: string; blogIds: number[] })[] {
  const rows = platen.db
    .select({ key: keys, email: accounts.email })
    .from(keys)
    .innerJoin(accounts, eq(accounts.id, keys.accountId))
    .orderBy(keys.id)
    .all();
  const bound = Map.groupBy(platen.db.select().from(keyBlogs).all(), (row) => row.keyId);
  return rows.map(({ key, email }) => ({
    ...key,
    email,
    blogIds: (bound.get(key.id) ?? []).map((row) => row.blogId),
  }));
}

/**
 * Keys to revoke when the blog is deleted: those limited to this blog, and those of apps signed in as this blog. A
 * key limited to no blog would get access to all blogs.
 */
export function keysEndingWith({ db }: Platen, blogId: number): KeyRow[] {
  const boundTo = (condition: SQL) => db.select({ id: keyBlogs.keyId }).from(keyBlogs).where(condition);
  const signedInAs = db
    .select({ id: authorizationCodes.usedForKeyId })
    .from(authorizationCodes)
    .where(and(eq(authorizationCodes.blogId, blogId), isNotNull(authorizationCodes.usedForKeyId)));
  const isBoundToItAlone = and(
    inArray(keys.id, boundTo(eq(keyBlogs.blogId, blogId))),
    notInArray(keys.id, boundTo(ne(keyBlogs.blogId, blogId))),
  );
  return db
    .select()
    .from(keys)
    .where(or(isBoundToItAlone, inArray(keys.id, signedInAs)))
    .all();
}

/** @returns false if the key does not exist or is already revoked */
export function revokeKey(platen: Platen, id: number): boolean {
  const revoked = platen.db
    .update(keys)
    .set({ revokedAt: platen.now() })
    .where(and(eq(keys.id, id), isNull(keys.revokedAt)))
    .returning()
    .all();
  for (const { accountId, name } of revoked)
    recordAuditEvent(platen, "revoked a key", {
      account: accountById(platen, accountId) ?? null,
      about: name,
    });
  return revoked.length > 0;
}
