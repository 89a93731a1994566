import { getSetting } from "./database/instance-settings";
import { settings } from "./database/schema";
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

const PURPOSES = [
  "answer confirmations",
  "answer departures",
  "attachment ids",
  "consent tickets",
  "domain checks",
  "feed identities",
  "form tokens",
  "known browsers",
  "newsletter confirmations",
  "newsletter departures",
  "passkey questions",
  "passkey users",
  "private links",
  "reader forms",
  "refresh tokens",
  "second steps",
  "toasts",
] as const;

export type Purpose = (typeof PURPOSES)[number];

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

/** The secret is in the database, so a copy of the data folder accepts the original's signatures. */
export function instanceSecret(platen: Platen, purpose: Purpose): string {
  const secret = getSetting(platen, settingName(purpose));
  if (secret !== undefined) return secret;
  createSecrets(platen, [purpose]);
  return getSetting(platen, settingName(purpose)) as string;
}

/** Call this at startup, so that serving a page does not have to write a secret. */
export function createMissingSecrets(platen: Platen): void {
  const missing = PURPOSES.filter((purpose) => getSetting(platen, settingName(purpose)) === undefined);
  if (missing.length > 0) createSecrets(platen, missing);
}

const settingName = (purpose: Purpose) => `secret: ${purpose}`;

function createSecrets(platen: Platen, purposes: Purpose[]): void {
  const rows = purposes.map((purpose) => ({ name: settingName(purpose), value: newSecret() }));
  platen.db.insert(settings).values(rows).onConflictDoNothing().run();
}
