import { and, eq, isNotNull, isNull, type SQL } from "drizzle-orm";
import { keys } from "../database/schema";
import { inTransaction } from "../database/transactions";
import type { Platen } from "../platen";
import { hashSecret, newSecret, signText, verifySignature } from "../secrets";
import type { Account } from "./accounts";
import { recordAuditEvent } from "./audit-log";
import { authenticateKey, type KeyRow, makeKey, newKeyText, revokeKey } from "./keys";

/** Names the instance's secret that refresh tokens are signed with. */
const PURPOSE = "refresh tokens";

/** A key as an app gets it. Both tokens are shown this once: only their hashes are kept. */
export interface AppKey {
  keyId: number;
  /** The key. It does not expire: most apps cannot renew one, and their users would have to sign in again. */
  accessToken: string;
  refreshToken: string;
  scopes: string[];
}

interface NewAppKey {
  /** What the app calls itself. */
  name: string;
  clientId: string;
  scopes: string[];
  /** Null: all of the account. */
  blogIds: number[] | null;
}

/** Makes a key for an app that signed in. @throws Refusal (invalid) */
export function makeAppKey(
  platen: Platen,
  account: Account,
  { name, clientId, scopes, blogIds }: NewAppKey,
): AppKey {
  const { text, row } = makeKey(platen, account, { name, clientId, scopes, blogIds: blogIds ?? [] });
  return { keyId: row.id, accessToken: text, refreshToken: newRefreshToken(platen, row.id), scopes };
}

/**
 * Replaces the key and its refresh token by new ones; the old key is no longer valid (RFC 6749 6). A refresh token that is
 * used a second time has been read by somebody else: the key is revoked.
 * @param scopes those wanted; what was not granted before is not granted now. Null: all
 */
export function renewAppKey(
  platen: Platen,
  presented: string,
  clientId: string,
  scopes: string[] | null,
): AppKey | { refused: string } {
  return inTransaction(platen, () => {
    const keyId = keyIdOfToken(platen, presented);
    const row = keyId === null ? undefined : platen.db.select().from(keys).where(eq(keys.id, keyId)).get();
    if (!row || row.revokedAt) return { refused: "This refresh_token is not valid." };
    if (row.refreshHash !== hashSecret(presented)) {
      revokeKey(platen, row.id);
      return { refused: "This refresh_token has been used already; what it was exchanged for is revoked." };
    }
    if (row.clientId !== clientId) return { refused: "This refresh_token was made for another client_id." };
    const kept = scopes ? row.scopes.filter((scope) => scopes.includes(scope)) : row.scopes;
    if (kept.length === 0) return { refused: "Nothing of this scope was granted." };
    const accessToken = newKeyText();
    platen.db
      .update(keys)
      .set({ hash: hashSecret(accessToken), scopes: kept })
      .where(eq(keys.id, row.id))
      .run();
    return { keyId: row.id, accessToken, refreshToken: newRefreshToken(platen, row.id), scopes: kept };
  });
}

/** Revokes the key that an access or a refresh token belongs to; an unknown one is no fault (RFC 7009 2.2). */
export function revokeToken(platen: Platen, presented: string): void {
  const caller = authenticateKey(platen, presented);
  const row = caller?.key ?? keyWithRefreshToken(platen, presented);
  if (row) revokeKey(platen, row.id);
}

/** Ends the keys of all apps the account signed in to; keys made by hand go on. @returns how many they were */
export function revokeAppKeys(platen: Platen, account: Account): number {
  const revoked = revokeKeysOf(platen, account, isNotNull(keys.clientId));
  if (revoked > 0) recordAuditEvent(platen, "revoked keys of apps", { account, about: String(revoked) });
  return revoked;
}

/** Revokes the keys that were made by hand; those of apps go on. @returns how many they were */
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

function keyWithRefreshToken(platen: Platen, presented: string): KeyRow | undefined {
  return platen.db
    .select()
    .from(keys)
    .where(and(eq(keys.refreshHash, hashSecret(presented)), isNull(keys.revokedAt)))
    .get();
}

/** "7.random.signature", 7 being the key's id: that of a token used before is thus still known. */
function newRefreshToken(platen: Platen, keyId: number): string {
  const claim = `${keyId}.${newSecret()}`;
  const token = `${claim}.${signText(platen, PURPOSE, claim)}`;
  platen.db
    .update(keys)
    .set({ refreshHash: hashSecret(token) })
    .where(eq(keys.id, keyId))
    .run();
  return token;
}

function keyIdOfToken(platen: Platen, token: string): number | null {
  const [keyId = "", random = "", signature = ""] = token.split(".");
  return verifySignature(platen, PURPOSE, `${keyId}.${random}`, signature) ? Number(keyId) : null;
}
