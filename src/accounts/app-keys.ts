import { and, eq, isNull } from "drizzle-orm";
import { keys } from "../database/schema";
import { inTransaction } from "../database/transactions";
import type { Platen } from "../platen";
import type { Account } from "./accounts";
import { callerWith, type KeyRow, makeKey, newKeyText, revokeKey } from "./keys";
import { hashOf, isSignatureOf, newSecretText, signatureOf } from "./secrets";

/** What refresh tokens are signed for. */
const PURPOSE = "refresh tokens";

/** A key as an app gets it: its texts are shown this once. */
export interface AppKey {
  keyId: number;
  /** The key. It holds until it is revoked: most apps cannot renew one, and would sign their owner out. */
  accessToken: string;
  refreshToken: string;
  scopes: string[];
}

export interface NewAppKey {
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
 * A new key in the place of the old one, which holds no longer, and a new refresh token (RFC 6749 6). A refresh token
 * that comes a second time has been read by somebody else: the key is revoked.
 * @param scopes those wanted; what was not granted before is not granted now. Null: all
 */
export function renewAppKey(
  platen: Platen,
  presented: string,
  clientId: string,
  scopes: string[] | null,
): AppKey | { refused: string } {
  return inTransaction(platen, () => {
    const keyId = keyIdIn(platen, presented);
    const row = keyId === null ? undefined : platen.db.select().from(keys).where(eq(keys.id, keyId)).get();
    if (!row || row.revokedAt) return { refused: "This refresh_token is not valid." };
    if (row.refreshHash !== hashOf(presented)) {
      revokeKey(platen, row.id);
      return { refused: "This refresh_token has been used already; what it was exchanged for is revoked." };
    }
    if (row.clientId !== clientId) return { refused: "This refresh_token was made for another client_id." };
    const kept = scopes ? row.scopes.filter((scope) => scopes.includes(scope)) : row.scopes;
    if (kept.length === 0) return { refused: "Nothing of this scope was granted." };
    const accessToken = newKeyText();
    platen.db
      .update(keys)
      .set({ hash: hashOf(accessToken), scopes: kept })
      .where(eq(keys.id, row.id))
      .run();
    return { keyId: row.id, accessToken, refreshToken: newRefreshToken(platen, row.id), scopes: kept };
  });
}

/** Revokes the key that an access or a refresh token belongs to; an unknown one is no fault (RFC 7009 2.2). */
export function revokePresented(platen: Platen, presented: string): void {
  const caller = callerWith(platen, presented);
  const row = caller?.key ?? keyWithRefresh(platen, presented);
  if (row) revokeKey(platen, row.id);
}

function keyWithRefresh(platen: Platen, presented: string): KeyRow | undefined {
  return platen.db
    .select()
    .from(keys)
    .where(and(eq(keys.refreshHash, hashOf(presented)), isNull(keys.revokedAt)))
    .get();
}

/** "7.random.signature": one that has been replaced is still known as ours, and whose it was. */
function newRefreshToken(platen: Platen, keyId: number): string {
  const claim = `${keyId}.${newSecretText()}`;
  const token = `${claim}.${signatureOf(platen, PURPOSE, claim)}`;
  platen.db
    .update(keys)
    .set({ refreshHash: hashOf(token) })
    .where(eq(keys.id, keyId))
    .run();
  return token;
}

function keyIdIn(platen: Platen, token: string): number | null {
  const [keyId = "", random = "", signature = ""] = token.split(".");
  return isSignatureOf(platen, PURPOSE, `${keyId}.${random}`, signature) ? Number(keyId) : null;
}
