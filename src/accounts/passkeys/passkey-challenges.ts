import { MINUTE } from "../../config/units";
import type { Platen } from "../../platen";
import { newSecret, signText, verifySignature } from "../../secrets";

/** What they are signed for. */
const PURPOSE = "passkey questions";
/** How long a question may be answered, in milliseconds. */
const WITHIN = 15 * MINUTE;

/**
 * A challenge (WebAuthn 13.4.3) that nothing has to be kept of: it says when it was asked, and of whom.
 * @param of what ties it to a browser or account
 */
export function createPasskeyChallenge(platen: Platen, of: string): string {
  const claim = `${platen.now().getTime()}.${newSecret()}`;
  const text = `${claim}.${signText(platen, PURPOSE, `${claim} ${of}`)}`;
  return Buffer.from(text).toString("base64url");
}

/** When the question was asked; null where it was not ours, or asked of another, or too long ago. */
export function passkeyChallengeTime(platen: Platen, challenge: string, of: string): Date | null {
  const [at = "", random = "", signature = ""] = Buffer.from(challenge, "base64url").toString().split(".");
  if (!verifySignature(platen, PURPOSE, `${at}.${random} ${of}`, signature)) return null;
  return platen.now().getTime() - Number(at) < WITHIN ? new Date(Number(at)) : null;
}
