import { isIP } from "node:net";
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import { MINUTE } from "../../config/units";
import type { Platen } from "../../platen";
import { signText } from "../../secrets";
import type { Account } from "../accounts";

/** The one host that passkeys are made for and used at. */
export interface PasskeySite {
  /** WebAuthn's relying party id. */
  host: string;
  origin: string;
}

/** What is kept of a passkey to know its answers by. */
interface PasskeyKey {
  credentialId: string;
  publicKey: string;
  counter: number;
  transports: string[];
}

/** EdDSA, ES256, RS256 (COSE): what every device can do one of. */
const ALGORITHMS = [-8, -7, -257];
/** How long browsers wait for their user, in milliseconds. */
const PATIENCE = 5 * MINUTE;

/** Null where browsers make none: they want https and a name, or localhost. */
export function passkeySite({ config }: Platen): PasskeySite | null {
  const { protocol, hostname, origin } = new URL(config.url);
  const isLocal = hostname === "localhost" || hostname.endsWith(".localhost");
  if (isIP(hostname.replace(/^\[|\]$/g, "")) !== 0) return null;
  return protocol === "https:" || isLocal ? { host: hostname, origin } : null;
}

/** What the browser is asked to make; as `PublicKeyCredential.parseCreationOptionsFromJSON` takes it. */
export function creationOptions(
  platen: Platen,
  account: Account,
  { site, challenge, known }: { site: PasskeySite; challenge: string; known: PasskeyKey[] },
): object {
  return {
    challenge,
    rp: { id: site.host, name: `Platen at ${site.host}` },
    // Says nothing of who it is (WebAuthn 14.6.1).
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

/** What it is asked to answer, with any passkey that it has for us. */
export function requestOptions(site: PasskeySite, challenge: string): object {
  return { challenge, rpId: site.host, userVerification: "required", timeout: PATIENCE };
}

type IsAsked = (challenge: string) => boolean;

/** What is kept of a new passkey; null where the browser's answer is not good. */
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

/** Hints for browsers, which the answer is not signed with: "internal", "usb". */
function transportsIn(sent: unknown): string[] {
  return Array.isArray(sent)
    ? sent
        .slice(0, 10)
        .filter((one) => /^[a-z-]{1,20}$/.test(String(one)))
        .map(String)
    : [];
}

/** The passkey's counter after its answer; null where the answer is not good. */
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

/** Loaded when the first passkey is used: it is large, and one of its parts needs `reflect-metadata` to be there before. */
async function library() {
  await import("reflect-metadata");
  return await import("@simplewebauthn/server");
}
