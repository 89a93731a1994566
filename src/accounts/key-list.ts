import { inArray } from "drizzle-orm";
import { prepared } from "../database/prepared";
import { keyBlogs, keys } from "../database/schema";
import type { Platen } from "../platen";
import type { Account } from "./accounts";
import { saveKeyUses } from "./key-usage";
import type { KeyRow } from "./keys";

/** A key with its blogs; an empty list means all. */
export interface ListedKey extends KeyRow {
  blogIds: number[];
}

interface KeysAsked {
  /** true for keys of connected apps, false for keys made by hand. */
  ofApps: boolean;
  /** Page number, from 1. */
  page: number;
  limit: number;
}

/** One page of keys, newest first, revoked ones last. @returns its rows, and whether more follow */
export function listAccountKeys(
  platen: Platen,
  { id }: Pick<Account, "id">,
  { ofApps, page, limit }: KeysAsked,
): { rows: ListedKey[]; goesOn: boolean } {
  saveKeyUses(platen);
  const ids = listed(platen)
    .all(id, ofApps ? 1 : 0, limit + 1, (page - 1) * limit)
    .map((row) => row.id);
  return { rows: withBlogs(platen, ids.slice(0, limit)), goesOn: ids.length > limit };
}

/** The order must match the index `keys_account`. */
const listed = prepared((db) =>
  db.$client.query<{ id: number }, [accountId: number, ofApps: number, most: number, after: number]>(
    `SELECT id FROM keys WHERE account_id = ? AND (client_id is not null) = ?
     ORDER BY (revoked_at is not null), id DESC LIMIT ? OFFSET ?`,
  ),
);

export function findAccountKey(
  platen: Platen,
  account: Pick<Account, "id">,
  id: number,
): ListedKey | undefined {
  saveKeyUses(platen);
  return withBlogs(platen, [id]).find(({ accountId }) => accountId === account.id);
}

function withBlogs({ db }: Platen, ids: number[]): ListedKey[] {
  if (ids.length === 0) return [];
  const bound = Map.groupBy(
    db.select().from(keyBlogs).where(inArray(keyBlogs.keyId, ids)).all(),
    (row) => row.keyId,
  );
  const rows = db.select().from(keys).where(inArray(keys.id, ids)).all();
  return rows
    .sort((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id))
    .map((key) => ({ ...key, blogIds: (bound.get(key.id) ?? []).map((row) => row.blogId) }));
}
