import { and, eq, isNull, lte, sql } from "drizzle-orm";
import { prepared } from "../database/prepared";
import { authorizationCodes } from "../database/schema";
import { inTransaction } from "../database/transactions";
import type { Platen } from "../platen";
import { accountById } from "./accounts";
import { type AppKey, makeAppKey } from "./app-keys";
import { revokeKey } from "./keys";
import { hashOf, newSecretText } from "./secrets";

/** From the owner's consent to the app's exchange, in milliseconds (IndieAuth 5.2.1: ten minutes at most). */
const CODE_LASTS = 5 * 60 * 1000;

type CodeRow = typeof authorizationCodes.$inferSelect;

/** What the owner allowed an app. */
export type Grant = Pick<
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

/** Expected, and told to the app; the words are a sentence. */
export interface Refused {
  refused: string;
}

/** A code for the app to fetch with what the owner allowed it. It works once. @param name what the app calls itself */
export function grantCode(platen: Platen, grant: Grant, name: string): string {
  // The name travels in the code, whose hash vouches for it.
  const text = `${newSecretText()}.${Buffer.from(name).toString("base64url")}`;
  const at = platen.now();
  forgetUnused(platen, at);
  const expiresAt = new Date(at.getTime() + CODE_LASTS);
  platen.db
    .insert(authorizationCodes)
    .values({ ...grant, hash: hashOf(text), expiresAt })
    .run();
  return text;
}

/** A code with a key stays as long as the key: it knows who signed in, and a second use is still to be noticed. */
function forgetUnused(platen: Platen, at: Date): void {
  platen.db
    .delete(authorizationCodes)
    .where(and(lte(authorizationCodes.expiresAt, at), isNull(authorizationCodes.usedForKeyId)))
    .run();
}

/** Exchanges a code for a key (IndieAuth 5.3). */
export function exchangeForKey(
  platen: Platen,
  exchange: Exchange,
): { grant: Grant; appKey: AppKey } | Refused {
  return inTransaction(platen, () => {
    const code = take(platen, exchange);
    if ("refused" in code) return code;
    if (code.scopes.length === 0) return { refused: "Nothing was allowed but to know who signed in." };
    const account = accountById(platen, code.accountId);
    if (!account) return { refused: "The account is gone." };
    const appKey = makeAppKey(platen, account, { ...code, name: nameIn(exchange.code) });
    settle(platen, code, appKey.keyId);
    return { grant: code, appKey };
  });
}

/** Exchanges a code for the knowledge who signed in, and nothing else (IndieAuth 5.3.2). */
export function exchangeForIdentity(platen: Platen, exchange: Exchange): Grant | Refused {
  return inTransaction(platen, () => {
    const code = take(platen, exchange);
    if (!("refused" in code)) settle(platen, code, null);
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

/** The blog that somebody signed in as when this key was made; undefined for a key made by hand. */
export function blogSignedInAs(platen: Platen, keyId: number): number | undefined {
  return codeOfKey(platen).get({ keyId })?.blogId;
}

/**
 * The code's row, if this app may have it now. Refusals are values: thrown, they would undo the revocation that a
 * second use leads to, for then somebody else has read the code (RFC 6749 4.1.2).
 */
function take(platen: Platen, exchange: Exchange): CodeRow | Refused {
  const code = platen.db
    .select()
    .from(authorizationCodes)
    .where(eq(authorizationCodes.hash, hashOf(exchange.code)))
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

function settle(platen: Platen, code: CodeRow, usedForKeyId: number | null): void {
  platen.db
    .update(authorizationCodes)
    .set({ usedAt: platen.now(), usedForKeyId })
    .where(eq(authorizationCodes.hash, code.hash))
    .run();
}

function nameIn(code: string): string {
  return Buffer.from(code.split(".")[1] ?? "", "base64url").toString();
}

/** RFC 7636 4.2, method S256. */
function challengeOf(verifier: string): string {
  return new Bun.CryptoHasher("sha256").update(verifier).digest("base64url");
}
