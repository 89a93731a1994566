import { and, eq, isNotNull, isNull, type SQL } from "drizzle-orm";
import { findRowByColumn } from "../database/prepared";
import { keys } from "../database/schema";
import { inTransaction } from "../database/transactions";
import type { Platen } from "../platen";
import { hashSecret, newSecret, signText, verifySignature } from "../secrets";
import type { Account } from "./accounts";
import { recordAuditEvent } from "./audit-log";
import { authenticateKey, makeKey, type NewKey, newKeyText, revokeKey } from "./keys";

const PURPOSE = "refresh tokens";

/** The database stores only hashes of both tokens. */
export interface AppKey {
  keyId: number;
  /** Does not expire, because most apps cannot refresh tokens. */
  accessToken: string;
  refreshToken: string;
  scopes: string[];
}

export function makeAppKey(platen: Platen, account: Account, input: NewKey): AppKey {
  const { text, row } = makeKey(platen, account, input);
  return storeTokens(platen, row.id, text, row.scopes);
}

const keyWithId = findRowByColumn(keys, "id");
const keyWithRefreshHash = findRowByColumn(keys, "refreshHash");

/**
 * Replaces the API key and its refresh token (RFC 6749 6). A refresh token that is used twice may be stolen,
 * so its key is revoked.
 * @param scopes requested scopes, limited to those already granted; null keeps all
 */
export function renewAppKey(
  platen: Platen,
  presented: string,
  clientId: string,
  scopes: string[] | null,
): AppKey | { refused: string } {
  return inTransaction(platen, () => {
    const [keyId = "", random = "", signature = ""] = presented.split(".");
    const isGenuine = verifySignature(platen, PURPOSE, `${keyId}.${random}`, signature);
    const row = isGenuine ? keyWithId(platen, Number(keyId)) : undefined;
    if (!row || row.revokedAt) return { refused: "This refresh_token is not valid." };
    if (row.refreshHash !== hashSecret(presented)) {
      revokeKey(platen, row.id);
      return { refused: "This refresh_token has been used already; the tokens issued for it are revoked." };
    }
    if (row.clientId !== clientId) return { refused: "This refresh_token was made for another client_id." };
    const granted = scopes ? row.scopes.filter((scope) => scopes.includes(scope)) : row.scopes;
    if (granted.length === 0) return { refused: "None of these scopes was granted." };
    return storeTokens(platen, row.id, newKeyText(), granted);
  });
}

/** A refresh token such as "7.random.signature" still identifies key 7 after it was used. */
function storeTokens(platen: Platen, keyId: number, accessToken: string, scopes: string[]): AppKey {
  const claim = `${keyId}.${newSecret()}`;
  const refreshToken = `${claim}.${signText(platen, PURPOSE, claim)}`;
  const values = { hash: hashSecret(accessToken), refreshHash: hashSecret(refreshToken), scopes };
  platen.db.update(keys).set(values).where(eq(keys.id, keyId)).run();
  return { keyId, accessToken, refreshToken, scopes };
}

/** Ignores unknown tokens (RFC 7009 2.2). */
export function revokeToken(platen: Platen, presented: string): void {
  const row = authenticateKey(platen, presented)?.key ?? keyWithRefreshHash(platen, hashSecret(presented));
  if (row) revokeKey(platen, row.id);
}

export function revokeAppKeys(platen: Platen, account: Account): number {
  const revoked = revokeKeysOf(platen, account, isNotNull(keys.clientId));
  if (revoked > 0) recordAuditEvent(platen, "revoked keys of apps", { account, about: String(revoked) });
  return revoked;
}

export function revokeOwnKeys(platen: Platen, account: Account): number {
  const revoked = revokeKeysOf(platen, account, isNull(keys.clientId));
  if (revoked > 0)
    recordAuditEvent(platen, "revoked a key", { account, about: `all ${revoked} made by hand` });
  return revoked;
}

function revokeKeysOf(platen: Platen, account: Account, which: SQL): number {
  return platen.db
    .update(keys)
    .set({ revokedAt: platen.now() })
    .where(and(eq(keys.accountId, account.id), which, isNull(keys.revokedAt)))
    .returning({ id: keys.id })
    .all().length;
}
