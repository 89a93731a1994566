import { instanceSecret, type Purpose } from "./database/instance-settings";
import type { Platen } from "./platen";

/** In bytes. Such a secret has 43 URL-safe characters. */
const SECRET_LENGTH = 32;

/** For a credential, the database stores only its hash (`hashSecret`). */
export function newSecret(bytes = SECRET_LENGTH): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString("base64url");
}

/** SHA-256 in hex. For random secrets only: passwords need a slow hash. */
export function hashSecret(text: string): string {
  return Bun.SHA256.hash(text, "hex");
}

/** Base64url. A signature for one purpose is not valid for another. */
export function signText(platen: Platen, purpose: Purpose, text: string): string {
  return new Bun.CryptoHasher("sha256", instanceSecret(platen, purpose)).update(text).digest("base64url");
}

export function verifySignature(platen: Platen, purpose: Purpose, text: string, presented: string): boolean {
  return isEqualSecret(presented, signText(platen, purpose, text));
}

/** Takes constant time, so that timing does not reveal the secret. */
export function isEqualSecret(presented: string, secret: string): boolean {
  const [actual, expected] = [Buffer.from(presented), Buffer.from(secret)];
  return actual.length === expected.length && crypto.timingSafeEqual(actual, expected);
}
