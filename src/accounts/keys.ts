import {
  and,
  desc,
  eq,
  getTableColumns,
  inArray,
  isNotNull,
  isNull,
  lt,
  ne,
  notInArray,
  or,
  type SQL,
  sql,
} from "drizzle-orm";
import { MINUTE } from "../config/units";
import { keepDataVersion } from "../database/change-counter";
import { prepared } from "../database/prepared";
import { accounts, authorizationCodes, keyBlogs, keys } from "../database/schema";
import { inTransaction } from "../database/transactions";
import { invalid } from "../errors";
import type { Platen } from "../platen";
import { hashSecret, newSecret } from "../secrets";
import { type Account, accountById } from "./accounts";
import { recordAuditEvent } from "./audit-log";
import { APP_SCOPES, SCOPES, STANDARD_SCOPES } from "./key-scopes";

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
  blogIds?: number[];
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

/** Also finds revoked and expired keys. */
export function findKeyByText(platen: Platen, presented: string): KeyRow | null {
  return callerOfKey(platen, hashSecret(presented))?.key ?? null;
}

function callerOfKey(platen: Platen, hash: string): Caller | null {
  const found = keyWithHash(platen).get({ hash });
  if (!found) return null;
  const bound = blogsOfKey(platen).all({ keyId: found.key.id });
  return { ...found, blogIds: bound.length > 0 ? bound.map((row) => row.blogId) : null };
}

export function listKeys(platen: Platen): (ListedKey & { email: string })[] {
  const rows = platen.db
    .select({ ...getTableColumns(keys), email: accounts.email })
    .from(keys)
    .innerJoin(accounts, eq(accounts.id, keys.accountId))
    .orderBy(keys.id)
    .all();
  return withBlogs(platen, rows);
}

/**
 * Returns the keys to revoke when a blog is removed: those limited to this blog, and those of apps that
 * signed in with its URL. Without its last blog, a limited key would have an empty list, which allows all
 * blogs.
 */
export function keysToRevokeWith({ db }: Platen, blogId: number): KeyRow[] {
  const boundTo = (condition: SQL) => db.select({ id: keyBlogs.keyId }).from(keyBlogs).where(condition);
  const signedInAs = db
    .select({ id: authorizationCodes.usedForKeyId })
    .from(authorizationCodes)
    .where(and(eq(authorizationCodes.blogId, blogId), isNotNull(authorizationCodes.usedForKeyId)));
  const isLimitedToBlog = and(
    inArray(keys.id, boundTo(eq(keyBlogs.blogId, blogId))),
    notInArray(keys.id, boundTo(ne(keyBlogs.blogId, blogId))),
  );
  return db
    .select()
    .from(keys)
    .where(or(isLimitedToBlog, inArray(keys.id, signedInAs)))
    .all();
}

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
  const rows = platen.db
    .select()
    .from(keys)
    .where(and(eq(keys.accountId, id), sql`(${keys.clientId} is not null) = ${ofApps ? 1 : 0}`))
    .orderBy(sql`(${keys.revokedAt} is not null)`, desc(keys.id))
    .limit(limit + 1)
    .offset((page - 1) * limit)
    .all();
  return { rows: withBlogs(platen, rows.slice(0, limit)), hasMore: rows.length > limit };
}

export function findAccountKey(platen: Platen, account: Pick<Account, "id">, id: number) {
  saveKeyUses(platen);
  const isOwnKey = and(eq(keys.id, id), eq(keys.accountId, account.id));
  return withBlogs(platen, platen.db.select().from(keys).where(isOwnKey).all())[0];
}

function withBlogs<Row extends KeyRow>({ db }: Platen, rows: Row[]): (Row & ListedKey)[] {
  const bound = Map.groupBy(db.select().from(keyBlogs).all(), (row) => row.keyId);
  return rows.map((key) => ({ ...key, blogIds: (bound.get(key.id) ?? []).map((row) => row.blogId) }));
}

export interface KeyOrigin {
  from: string;
  by: string;
}

interface Use {
  at: Date;
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
  const at = platen.now();
  const last = all.get(keyId);
  if (last && Math.abs(at.getTime() - last.at.getTime()) < MINUTE) return;
  all.set(keyId, { at, origin: origin() ?? last?.origin ?? null, isSaved: false });
}

export function saveKeyUses(platen: Platen): void {
  const unsaved = [...(uses.get(platen) ?? [])].filter(([, use]) => !use.isSaved);
  if (unsaved.length === 0) return;
  keepDataVersion(platen, () =>
    inTransaction(platen, () => {
      for (const [keyId, { at, origin }] of unsaved)
        platen.db
          .update(keys)
          .set({ lastUsedAt: at, ...(origin && { lastUsedFrom: origin.from, lastUsedBy: origin.by }) })
          .where(and(eq(keys.id, keyId), or(isNull(keys.lastUsedAt), lt(keys.lastUsedAt, at))))
          .run();
    }),
  );
  for (const [, use] of unsaved) use.isSaved = true;
}
