import { and, eq, isNull, lte, sql } from "drizzle-orm";
import { MINUTE } from "../config/units";
import { prepared } from "../database/prepared";
import { authorizationCodes } from "../database/schema";
import { inTransaction } from "../database/transactions";
import type { Platen } from "../platen";
import { hashSecret, newSecret } from "../secrets";
import { type Account, accountById } from "./accounts";
import { type AppKey, makeAppKey } from "./app-keys";
import { revokeKey } from "./keys";

/** How long after the owner's consent the app may exchange the code, in milliseconds (IndieAuth 5.2.1: ten minutes at most). */
const CODE_LIFETIME = 5 * MINUTE;

type CodeRow = typeof authorizationCodes.$inferSelect;

/** What the owner allowed an app. */
type Grant = Pick<
  CodeRow,
  "accountId" | "blogId" | "blogIds" | "clientId" | "redirectUri" | "challenge" | "scopes"
>;

/** What the app says when it brings the code back. */
export interface Exchange {
  code: string;
  clientId: string;
  redirectUri: string;
  verifier: string;
}

/** An expected refusal, as a sentence for the app. */
interface Refused {
  refused: string;
}

/** A code that the app exchanges, once, for what the owner allowed it. @param name what the app calls itself */
export function grantCode(platen: Platen, grant: Grant, name: string): string {
  // The code carries the name, which the key is given at the exchange; the hash of the code covers it.
  const text = `${newSecret()}.${Buffer.from(name).toString("base64url")}`;
  const at = platen.now();
  deleteExpired(platen, at);
  const expiresAt = new Date(at.getTime() + CODE_LIFETIME);
  platen.db
    .insert(authorizationCodes)
    .values({ ...grant, hash: hashSecret(text), expiresAt })
    .run();
  return text;
}

/** Codes that a key was made for stay as long as the key: they tell who signed in, and a second use must be noticed. */
function deleteExpired(platen: Platen, at: Date): void {
  platen.db
    .delete(authorizationCodes)
    .where(and(lte(authorizationCodes.expiresAt, at), isNull(authorizationCodes.usedForKeyId)))
    .run();
}

/** What the account allowed and no app has fetched yet, none may fetch any more. */
export function deleteUnusedCodes(platen: Platen, account: Account): void {
  const isOfAccount = eq(authorizationCodes.accountId, account.id);
  platen.db
    .delete(authorizationCodes)
    .where(and(isOfAccount, isNull(authorizationCodes.usedForKeyId)))
    .run();
}

/** Exchanges a code for a key (IndieAuth 5.3). */
export function exchangeForKey(
  platen: Platen,
  exchange: Exchange,
): { grant: Grant; appKey: AppKey } | Refused {
  return inTransaction(platen, () => {
    const code = usableCode(platen, exchange);
    if ("refused" in code) return code;
    if (code.scopes.length === 0) return { refused: "Nothing was allowed but to know who signed in." };
    const account = accountById(platen, code.accountId);
    if (!account) return { refused: "The account is gone." };
    const appKey = makeAppKey(platen, account, { ...code, name: appNameIn(exchange.code) });
    markUsed(platen, code, appKey.keyId);
    return { grant: code, appKey };
  });
}

/** Exchanges a code for the knowledge who signed in, and nothing else (IndieAuth 5.3.2). */
export function exchangeForIdentity(platen: Platen, exchange: Exchange): Grant | Refused {
  return inTransaction(platen, () => {
    const code = usableCode(platen, exchange);
    if (!("refused" in code)) markUsed(platen, code, null);
    return code;
  });
}

const codeOfKey = prepared((db) =>
  db
    .select({ blogId: authorizationCodes.blogId })
    .from(authorizationCodes)
    .where(eq(authorizationCodes.usedForKeyId, sql.placeholder("keyId")))
    .prepare(),
);

/** The blog whose address was used to sign in when this key was made; undefined for a key made by hand. */
export function blogSignedInAs(platen: Platen, keyId: number): number | undefined {
  return codeOfKey(platen).get({ keyId })?.blogId;
}

/**
 * The code's row where this app may exchange it now. To be called inside a transaction. A second use means that
 * somebody else has read the code: the key is revoked (RFC 6749 4.1.2). That is why refusals are values: thrown, they
 * would undo the revocation.
 */
function usableCode(platen: Platen, exchange: Exchange): CodeRow | Refused {
  const code = platen.db
    .select()
    .from(authorizationCodes)
    .where(eq(authorizationCodes.hash, hashSecret(exchange.code)))
    .get();
  if (!code) return { refused: "This code is not known here." };
  if (code.usedAt) {
    if (code.usedForKeyId) revokeKey(platen, code.usedForKeyId);
    return { refused: "This code has been used already; what it was exchanged for is revoked." };
  }
  if (code.expiresAt <= platen.now()) return { refused: "This code is past its time." };
  if (code.clientId !== exchange.clientId) return { refused: "This code was made for another client_id." };
  if (code.redirectUri !== exchange.redirectUri)
    return { refused: "This code was made for another redirect_uri." };
  if (code.challenge !== challengeOf(exchange.verifier))
    return { refused: "The code_verifier does not fit the code_challenge." };
  return code;
}

function markUsed(platen: Platen, code: CodeRow, usedForKeyId: number | null): void {
  platen.db
    .update(authorizationCodes)
    .set({ usedAt: platen.now(), usedForKeyId })
    .where(eq(authorizationCodes.hash, code.hash))
    .run();
}

function appNameIn(code: string): string {
  return Buffer.from(code.split(".")[1] ?? "", "base64url").toString();
}

/** RFC 7636 4.2, method S256. */
function challengeOf(verifier: string): string {
  return new Bun.CryptoHasher("sha256").update(verifier).digest("base64url");
}
