import { isIP } from "node:net";
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import { MINUTE } from "../config/units";
import { deleteRow, findRowByColumn, findRows, insertRow, updateRow } from "../database/rows";
import { passkeys } from "../database/schema";
import { inTransaction } from "../database/transactions";
import { assertRules, invalid, tooLong } from "../errors";
import type { Platen } from "../platen";
import { newSecret, signText, verifySignature } from "../secrets";
import { isObject } from "../text/json";
import { type Account, accountById } from "./accounts";
import { recordAuditEvent } from "./audit-log";

export type Passkey = typeof passkeys.$inferSelect;

export const MAX_PASSKEY_NAME_LENGTH = 100;

interface PasskeyResponse {
  site: PasskeySite;
  /** Account or browser that the challenge was created for. */
  boundTo: string;
  /** The browser's response as JSON. */
  answer: unknown;
}

/**
 * Call this function only after the user has entered the password.
 * @throws Refusal (invalid) for `name` or `passkey`
 */
export async function addPasskey(
  platen: Platen,
  account: Account,
  { site, boundTo, answer, name }: PasskeyResponse & { name: string },
): Promise<void> {
  assertRules({ name: tooLong(name.trim(), MAX_PASSKEY_NAME_LENGTH) });
  const { verifyRegistrationResponse } = await library();
  const response = answer as RegistrationResponseJSON;
  const verification = await verifyRegistrationResponse({
    ...expectedFrom(site),
    response,
    expectedChallenge: (challenge) => passkeyChallengeTime(platen, challenge, boundTo) !== null,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch(() => null);
  const credential = verification?.registrationInfo?.credential;
  if (!credential || passkeyWithId(platen, credential.id))
    throw invalid({ passkey: ["was not accepted: try again"] });
  const values = {
    accountId: account.id,
    credentialId: credential.id,
    publicKey: Buffer.from(credential.publicKey).toString("base64url"),
    counter: credential.counter,
    transports: transportsIn(response.response?.transports),
    name: name.trim() || "Passkey",
    createdAt: platen.now(),
  };
  inTransaction(platen, () => {
    insertRow(platen, passkeys, values);
    recordAuditEvent(platen, "added a passkey", { account, about: name.trim() });
  });
}

/** Hints for browsers, such as "internal" or "usb". They are not signed, so they may be anything. */
function transportsIn(sent: unknown): string[] {
  const hints: unknown[] = Array.isArray(sent) ? sent.slice(0, 10) : [];
  return hints.filter((hint) => typeof hint === "string").filter((hint) => /^[a-z-]{1,20}$/.test(hint));
}

/** @returns null if the response is invalid, or if its challenge is not newer than the last one used */
export async function accountWithPasskey(platen: Platen, { site, boundTo, answer }: PasskeyResponse) {
  const credentialId = isObject(answer) && typeof answer.id === "string" ? answer.id : "";
  const row = passkeyWithId(platen, credentialId);
  if (!row) return null;
  let askedAt: Date | null = null;
  const { verifyAuthenticationResponse } = await library();
  const publicKey = Uint8Array.from(Buffer.from(row.publicKey, "base64url"));
  const verification = await verifyAuthenticationResponse({
    ...expectedFrom(site),
    response: answer as AuthenticationResponseJSON,
    expectedChallenge: (challenge) => {
      askedAt = passkeyChallengeTime(platen, challenge, boundTo);
      return askedAt !== null && askedAt > lastChallengeTime(platen, row);
    },
    credential: { id: row.credentialId, publicKey, counter: row.counter },
  }).catch(() => null);
  if (!verification?.verified) return null;
  const changes = { counter: verification.authenticationInfo.newCounter, askedAt, lastUsedAt: platen.now() };
  // Of two concurrent responses to the same challenge, only one is accepted.
  const used = updateRow(platen, passkeys, { id: row.id, askedAt: row.askedAt }, changes);
  return used ? (accountById(platen, used.accountId) ?? null) : null;
}

const expectedFrom = ({ origin, host }: PasskeySite) => ({
  expectedOrigin: origin,
  expectedRPID: host,
  requireUserVerification: true,
});

/** Loaded at first use, because the library is large. `reflect-metadata` must come first. */
async function library() {
  await import("reflect-metadata");
  return await import("@simplewebauthn/server");
}

/** If the clock was set back, the stored time would reject all challenges until the clock reaches it again. */
function lastChallengeTime({ now }: Platen, { askedAt }: Passkey): Date {
  return askedAt !== null && askedAt <= now() ? askedAt : new Date(0);
}

export function passkeysOf(platen: Platen, account: Account): Passkey[] {
  return findRows(platen, passkeys, { accountId: account.id }, { orderBy: passkeys.id });
}

export function removePasskey(platen: Platen, account: Account, id: number): boolean {
  const removed = deleteRow(platen, passkeys, { id, accountId: account.id });
  if (removed) recordAuditEvent(platen, "removed a passkey", { account, about: removed.name });
  return removed !== undefined;
}

const passkeyWithId = findRowByColumn(passkeys, "credentialId");

const PURPOSE = "passkey questions";
const CHALLENGE_LIFETIME_MS = 15 * MINUTE;

/**
 * The challenge (WebAuthn 13.4.3) is not stored, because its signed text contains the time.
 * @param boundTo account or browser that may use the challenge
 */
export function createPasskeyChallenge(platen: Platen, boundTo: string): string {
  const claim = `${platen.now().getTime()}.${newSecret()}`;
  const text = `${claim}.${signText(platen, PURPOSE, `${claim} ${boundTo}`)}`;
  return Buffer.from(text).toString("base64url");
}

function passkeyChallengeTime(platen: Platen, challenge: string, boundTo: string): Date | null {
  const [at = "", random = "", signature = ""] = Buffer.from(challenge, "base64url").toString().split(".");
  if (!verifySignature(platen, PURPOSE, `${at}.${random} ${boundTo}`, signature)) return null;
  const age = platen.now().getTime() - Number(at);
  return age >= 0 && age < CHALLENGE_LIFETIME_MS ? new Date(Number(at)) : null;
}

export interface PasskeySite {
  host: string;
  origin: string;
}

/** EdDSA, ES256 and RS256 (COSE). */
const ALGORITHMS = [-8, -7, -257];
const PROMPT_TIMEOUT_MS = 5 * MINUTE;

/**
 * @returns null if browsers allow no passkeys at the base URL: they require HTTPS and a host name, or
 * localhost
 */
export function passkeySite({ config }: Platen): PasskeySite | null {
  const { protocol, hostname, origin } = new URL(config.url);
  const isLocal = hostname === "localhost" || hostname.endsWith(".localhost");
  if (isIP(hostname.replace(/^\[|\]$/g, "")) !== 0) return null;
  return protocol === "https:" || isLocal ? { host: hostname, origin } : null;
}

/** For `PublicKeyCredential.parseCreationOptionsFromJSON`. */
export function creationOptions(
  platen: Platen,
  account: Account,
  { site, challenge, known }: { site: PasskeySite; challenge: string; known: Passkey[] },
): object {
  return {
    challenge,
    rp: { id: site.host, name: `Platen at ${site.host}` },
    // The id must not contain personal data (WebAuthn 14.6.1).
    user: {
      id: signText(platen, "passkey users", String(account.id)),
      name: account.email,
      displayName: account.name,
    },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: "public-key", alg })),
    authenticatorSelection: {
      residentKey: "required",
      requireResidentKey: true,
      userVerification: "required",
    },
    excludeCredentials: known.map(({ credentialId: id, transports }) => ({
      type: "public-key",
      id,
      transports,
    })),
    attestation: "none",
    timeout: PROMPT_TIMEOUT_MS,
  };
}

/** For `PublicKeyCredential.parseRequestOptionsFromJSON`. Any passkey for this host may respond. */
export function requestOptions(site: PasskeySite, challenge: string): object {
  return { challenge, rpId: site.host, userVerification: "required", timeout: PROMPT_TIMEOUT_MS };
}
