import { and, eq, isNotNull, isNull, lte, type SQL } from "drizzle-orm";
import { MINUTE } from "../config/units";
import { deleteRows, findRow, findRowByColumn, insertRow, updateRows } from "../database/rows";
import { authorizationCodes, keys } from "../database/schema";
import { inTransaction } from "../database/transactions";
import type { Platen } from "../platen";
import { hashSecret, newSecret, signText, verifySignature } from "../secrets";
import { type Account, accountById } from "./accounts";
import { authenticateKey, makeKey, type NewKey, newKeyText, revokeKey } from "./api-keys";
import { recordAuditEvent } from "./audit-log";

/** IndieAuth 5.2.1 recommends at most ten minutes. */
const CODE_LIFETIME = 5 * MINUTE;

type CodeRow = typeof authorizationCodes.$inferSelect;

type Grant = Omit<CodeRow, "hash" | "expiresAt" | "usedAt" | "usedForKeyId">;

export interface Exchange {
  code: string;
  clientId: string;
  redirectUri: string;
  verifier: string;
}

interface Refused {
  refused: string;
}

/** Codes that were exchanged for a key stay: they reveal a second use, and record the user's blog. */
const hasNoKey = isNull(authorizationCodes.usedForKeyId);

export function grantCode(platen: Platen, grant: Grant, name: string): string {
  const text = `${newSecret()}.${Buffer.from(name).toString("base64url")}`;
  const at = platen.now();
  deleteRows(platen, authorizationCodes, and(lte(authorizationCodes.expiresAt, at), hasNoKey));
  const expiresAt = new Date(at.getTime() + CODE_LIFETIME);
  insertRow(platen, authorizationCodes, { ...grant, hash: hashSecret(text), expiresAt });
  return text;
}

export function deleteUnusedCodes(platen: Platen, account: Account): void {
  deleteRows(platen, authorizationCodes, and(eq(authorizationCodes.accountId, account.id), hasNoKey));
}

/** IndieAuth 5.3. */
export function exchangeForKey(platen: Platen, exchange: Exchange) {
  return inTransaction(platen, () => {
    const code = usableCode(platen, exchange);
    if ("refused" in code) return code;
    if (code.scopes.length === 0) return { refused: "Only the identity of the user was granted." };
    const account = accountById(platen, code.accountId);
    if (!account) return { refused: "The account was removed." };
    const name = Buffer.from(exchange.code.split(".")[1] ?? "", "base64url").toString();
    const appKey = makeAppKey(platen, account, { ...code, name });
    markUsed(platen, code, appKey.keyId);
    return { grant: code, appKey };
  });
}

/** Gives the app the user's identity, but no key (IndieAuth 5.3.2). */
export function exchangeForIdentity(platen: Platen, exchange: Exchange): Grant | Refused {
  return inTransaction(platen, () => {
    const code = usableCode(platen, exchange);
    if (!("refused" in code)) markUsed(platen, code, null);
    return code;
  });
}

const codeOfKey = findRowByColumn(authorizationCodes, "usedForKeyId");

/** Undefined for keys made by hand. */
export function blogSignedInAs(platen: Platen, keyId: number): number | undefined {
  return codeOfKey(platen, keyId)?.blogId;
}

/**
 * Call this function in a transaction. A second use revokes the key (RFC 6749 4.1.2). Errors are returned,
 * because throwing would roll back the revocation.
 */
function usableCode(platen: Platen, exchange: Exchange): CodeRow | Refused {
  const code = findRow(platen, authorizationCodes, { hash: hashSecret(exchange.code) });
  if (!code) return { refused: "This code is unknown." };
  if (code.usedAt) {
    if (code.usedForKeyId) revokeKey(platen, code.usedForKeyId);
    return { refused: "This code has been used already; the tokens issued for it are revoked." };
  }
  if (code.expiresAt <= platen.now()) return { refused: "This code has expired." };
  if (code.clientId !== exchange.clientId) return { refused: "This code was made for another client_id." };
  if (code.redirectUri !== exchange.redirectUri)
    return { refused: "This code was made for another redirect_uri." };
  // PKCE method S256 (RFC 7636 4.2).
  if (code.challenge !== new Bun.CryptoHasher("sha256").update(exchange.verifier).digest("base64url"))
    return { refused: "The code_verifier does not match the code_challenge." };
  return code;
}

function markUsed(platen: Platen, code: CodeRow, usedForKeyId: number | null): void {
  updateRows(platen, authorizationCodes, { hash: code.hash }, { usedAt: platen.now(), usedForKeyId });
}

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

/**
 * Replaces the API key and its refresh token (RFC 6749 6). A refresh token that is used twice may be stolen,
 * so its key is revoked.
 * @param scopes requested scopes, limited to those already granted; null keeps all
 */
export function renewAppKey(platen: Platen, presented: string, clientId: string, scopes: string[] | null) {
  return inTransaction(platen, () => {
    const [keyId = "", random = "", signature = ""] = presented.split(".");
    const isGenuine = verifySignature(platen, PURPOSE, `${keyId}.${random}`, signature);
    const row = isGenuine ? findRow(platen, keys, { id: Number(keyId) }) : undefined;
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
  const hashes = { hash: hashSecret(accessToken), refreshHash: hashSecret(refreshToken) };
  updateRows(platen, keys, { id: keyId }, { ...hashes, scopes });
  return { keyId, accessToken, refreshToken, scopes };
}

/** Ignores unknown tokens (RFC 7009 2.2). */
export function revokeToken(platen: Platen, presented: string): void {
  const row =
    authenticateKey(platen, presented)?.key ?? findRow(platen, keys, { refreshHash: hashSecret(presented) });
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
  const isActiveKey = and(eq(keys.accountId, account.id), which, isNull(keys.revokedAt));
  return updateRows(platen, keys, isActiveKey, { revokedAt: platen.now() });
}
