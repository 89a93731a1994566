import { instanceSecret, type Purpose } from "./database/instance-settings";
import type { Platen } from "./platen";

const SECRET_BYTES = 32;

/** @returns base64url */
export function newSecret(bytes = SECRET_BYTES): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString("base64url");
}

/** For random secrets only: a password needs a slow hash. */
export function hashSecret(text: string): string {
  return Bun.SHA256.hash(text, "hex");
}

/** A signature for one purpose is not valid for another. */
export function signText(platen: Platen, purpose: Purpose, text: string): string {
  return new Bun.CryptoHasher("sha256", instanceSecret(platen, purpose)).update(text).digest("base64url");
}

export function verifySignature(platen: Platen, purpose: Purpose, text: string, presented: string): boolean {
  return isEqualSecret(presented, signText(platen, purpose, text));
}

/** The time that the comparison takes does not reveal how many characters match. */
export function isEqualSecret(presented: string, secret: string): boolean {
  const [actual, expected] = [Buffer.from(presented), Buffer.from(secret)];
  return actual.length === expected.length && crypto.timingSafeEqual(actual, expected);
}
