import { createHmac, timingSafeEqual } from "node:crypto";
import { instanceSecret } from "../database/instance-secret";
import type { Platen } from "../platen";

/** Bytes of randomness in a text nobody is to guess: 43 url-safe characters. */
const LENGTH = 32;

/** A key, code or session id, without its prefix. Shown to whom it is for; only its hash is kept. */
export function newSecretText(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(LENGTH))).toString("base64url");
}

/** What is kept of a secret text: it is random throughout, so a fast hash without salt suits. */
export function hashOf(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("hex");
}

/** Shows later that this instance wrote the text, for this purpose. */
export function signatureOf(platen: Platen, purpose: string, text: string): string {
  return createHmac("sha256", instanceSecret(platen, purpose)).update(text).digest("base64url");
}

export function isSignatureOf(platen: Platen, purpose: string, text: string, presented: string): boolean {
  const expected = Buffer.from(signatureOf(platen, purpose, text));
  const given = Buffer.from(presented);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
