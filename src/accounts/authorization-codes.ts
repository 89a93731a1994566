import { and, eq, isNull, lte } from "drizzle-orm";
import { MINUTE } from "../config/units";
import { findRowByColumn } from "../database/prepared";
import { authorizationCodes } from "../database/schema";
import { inTransaction } from "../database/transactions";
import type { Platen } from "../platen";
import { hashSecret, newSecret } from "../secrets";
import { type Account, accountById } from "./accounts";
import { type AppKey, makeAppKey } from "./app-keys";
import { revokeKey } from "./keys";

/** IndieAuth 5.2.1 recommends at most ten minutes. */
const CODE_LIFETIME = 5 * MINUTE;

type CodeRow = typeof authorizationCodes.$inferSelect;

type Grant = Pick<
  CodeRow,
  "accountId" | "blogId" | "blogIds" | "clientId" | "redirectUri" | "challenge" | "scopes"
>;

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
  const hasExpired = lte(authorizationCodes.expiresAt, at);
  platen.db.delete(authorizationCodes).where(and(hasExpired, hasNoKey)).run();
  const expiresAt = new Date(at.getTime() + CODE_LIFETIME);
  const values = { ...grant, hash: hashSecret(text), expiresAt };
  platen.db.insert(authorizationCodes).values(values).run();
  return text;
}

export function deleteUnusedCodes(platen: Platen, account: Account): void {
  const isOfAccount = eq(authorizationCodes.accountId, account.id);
  platen.db.delete(authorizationCodes).where(and(isOfAccount, hasNoKey)).run();
}

/** IndieAuth 5.3. */
export function exchangeForKey(
  platen: Platen,
  exchange: Exchange,
): { grant: Grant; appKey: AppKey } | Refused {
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
const codeWithHash = findRowByColumn(authorizationCodes, "hash");

/** Undefined for keys made by hand. */
export function blogSignedInAs(platen: Platen, keyId: number): number | undefined {
  return codeOfKey(platen, keyId)?.blogId;
}

/**
 * Call this function in a transaction. A second use revokes the key (RFC 6749 4.1.2). Errors are returned,
 * because throwing would roll back the revocation.
 */
function usableCode(platen: Platen, exchange: Exchange): CodeRow | Refused {
  const code = codeWithHash(platen, hashSecret(exchange.code));
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
  const changes = { usedAt: platen.now(), usedForKeyId };
  platen.db.update(authorizationCodes).set(changes).where(eq(authorizationCodes.hash, code.hash)).run();
}
