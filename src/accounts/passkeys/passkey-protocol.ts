import { isIP } from "node:net";
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import { MINUTE } from "../../config/units";
import type { Platen } from "../../platen";
import { signText } from "../../secrets";
import type { Account } from "../accounts";

/** The host for which passkeys are valid. */
export interface PasskeySite {
  /** Relying party id of WebAuthn. */
  host: string;
  origin: string;
}

/** Stored data of a passkey, which verifies its responses. */
interface PasskeyKey {
  credentialId: string;
  publicKey: string;
  counter: number;
  transports: string[];
}

/** EdDSA, ES256 and RS256 (COSE). Every device supports at least one. */
const ALGORITHMS = [-8, -7, -257];
/** Time for which the browser waits for the user, in milliseconds. */
const PATIENCE = 5 * MINUTE;

/** @returns null if the base URL cannot have passkeys: browsers require HTTPS and a host name, or localhost */
export function passkeySite({ config }: Platen): PasskeySite | null {
  const { protocol, hostname, origin } = new URL(config.url);
  const isLocal = hostname === "localhost" || hostname.endsWith(".localhost");
  if (isIP(hostname.replace(/^\[|\]$/g, "")) !== 0) return null;
  return protocol === "https:" || isLocal ? { host: hostname, origin } : null;
}

/** Options for `PublicKeyCredential.parseCreationOptionsFromJSON`. */
export function creationOptions(
  platen: Platen,
  account: Account,
  { site, challenge, known }: { site: PasskeySite; challenge: string; known: PasskeyKey[] },
): object {
  return {
    challenge,
    rp: { id: site.host, name: `Platen at ${site.host}` },
    // The id must not identify the user (WebAuthn 14.6.1).
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
    excludeCredentials: known.map(({ credentialId, transports }) => ({
      type: "public-key",
      id: credentialId,
      transports,
    })),
    attestation: "none",
    timeout: PATIENCE,
  };
}

/** Options for `PublicKeyCredential.parseRequestOptionsFromJSON`. Any passkey for this host may respond. */
export function requestOptions(site: PasskeySite, challenge: string): object {
  return { challenge, rpId: site.host, userVerification: "required", timeout: PATIENCE };
}

type IsAsked = (challenge: string) => boolean;

/** @returns the passkey's data to store; null if the browser's response is invalid */
export async function verifyNewPasskey(
  site: PasskeySite,
  answer: unknown,
  isAsked: IsAsked,
): Promise<PasskeyKey | null> {
  const { verifyRegistrationResponse } = await library();
  const response = answer as RegistrationResponseJSON;
  const { registrationInfo } = await verifyRegistrationResponse({
    response,
    expectedChallenge: isAsked,
    expectedOrigin: site.origin,
    expectedRPID: site.host,
    requireUserVerification: true,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch(() => ({ registrationInfo: undefined }));
  if (!registrationInfo) return null;
  const { id, publicKey, counter } = registrationInfo.credential;
  return {
    credentialId: id,
    publicKey: Buffer.from(publicKey).toString("base64url"),
    counter,
    transports: transportsIn(response.response?.transports),
  };
}

/** Hints for browsers, such as "internal" or "usb". The signature does not cover them. */
function transportsIn(sent: unknown): string[] {
  return Array.isArray(sent)
    ? sent
        .slice(0, 10)
        .filter((one) => /^[a-z-]{1,20}$/.test(String(one)))
        .map(String)
    : [];
}

/** @returns the passkey's new signature counter; null if the response is invalid */
export async function verifyPasskeyResponse(
  site: PasskeySite,
  answer: unknown,
  { credentialId, publicKey, counter }: PasskeyKey,
  isAsked: IsAsked,
): Promise<number | null> {
  const { verifyAuthenticationResponse } = await library();
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: answer as AuthenticationResponseJSON,
    expectedChallenge: isAsked,
    expectedOrigin: site.origin,
    expectedRPID: site.host,
    credential: {
      id: credentialId,
      publicKey: Uint8Array.from(Buffer.from(publicKey, "base64url")),
      counter,
    },
    requireUserVerification: true,
  }).catch(() => ({ verified: false, authenticationInfo: undefined }));
  return verified && authenticationInfo ? authenticationInfo.newCounter : null;
}

/** Loads the large library on first use. It requires `reflect-metadata` to be loaded first. */
async function library() {
  await import("reflect-metadata");
  return await import("@simplewebauthn/server");
}
