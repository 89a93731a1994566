import { instanceSecret, type Purpose } from "./database/instance-secret";
import type { Platen } from "./platen";

/** Bytes of randomness in a secret: 43 url-safe characters. */
const SECRET_LENGTH = 32;

/**
 * A new key, code or session id, without a prefix. Whoever it is for gets the text; the database keeps `hashSecret` it.
 * @param bytes of randomness
 */
export function newSecret(bytes = SECRET_LENGTH): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString("base64url");
}

/** What is kept of a secret text, hex. Passwords are hashed in accounts/passwords: a fast hash suits random texts only. */
export function hashSecret(text: string): string {
  return Bun.SHA256.hash(text, "hex");
}

/** Proves later that this instance wrote the text, for this purpose; base64url. */
export function signText(platen: Platen, purpose: Purpose, text: string): string {
  return new Bun.CryptoHasher("sha256", instanceSecret(platen, purpose)).update(text).digest("base64url");
}

export function verifySignature(platen: Platen, purpose: Purpose, text: string, presented: string): boolean {
  return isEqualSecret(presented, signText(platen, purpose, text));
}

/** Takes the same time wherever they begin to differ. */
export function isEqualSecret(presented: string, secret: string): boolean {
  const [given, expected] = [Buffer.from(presented), Buffer.from(secret)];
  return given.length === expected.length && crypto.timingSafeEqual(given, expected);
}
