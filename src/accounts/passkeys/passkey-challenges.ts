import { MINUTE } from "../../config/units";
import type { Platen } from "../../platen";
import { newSecret, signText, verifySignature } from "../../secrets";

/** Purpose under which challenges are signed. */
const PURPOSE = "passkey questions";
/** Lifetime of a challenge in milliseconds. */
const WITHIN = 15 * MINUTE;

/**
 * A stateless challenge (WebAuthn 13.4.3): its signed text contains the time.
 * @param of binds the challenge to a browser or account
 */
export function createPasskeyChallenge(platen: Platen, of: string): string {
  const claim = `${platen.now().getTime()}.${newSecret()}`;
  const text = `${claim}.${signText(platen, PURPOSE, `${claim} ${of}`)}`;
  return Buffer.from(text).toString("base64url");
}

/** @returns the creation time; null if the challenge is forged, expired, or bound to something else */
export function passkeyChallengeTime(platen: Platen, challenge: string, of: string): Date | null {
  const [at = "", random = "", signature = ""] = Buffer.from(challenge, "base64url").toString().split(".");
  if (!verifySignature(platen, PURPOSE, `${at}.${random} ${of}`, signature)) return null;
  return platen.now().getTime() - Number(at) < WITHIN ? new Date(Number(at)) : null;
}
