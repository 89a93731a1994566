import type { Platen } from "../platen";
import { getSetting } from "./instance-settings";
import { settings } from "./schema";

/** Bytes of randomness in a secret. */
const LENGTH = 32;

const PURPOSES = [
  "attachment ids",
  "consent tickets",
  "domain checks",
  "feed identities",
  "form tokens",
  "known browsers",
  "passkey questions",
  "passkey users",
  "private links",
  "reader forms",
  "refresh tokens",
  "second steps",
  "toasts",
  "uploads of imports",
] as const;

/** What a secret is for. */
export type Purpose = (typeof PURPOSES)[number];

/**
 * The instance's secret for one purpose, base64url; made at its first use where no server has made it. It is kept in the
 * database, so that a copy of the folder accepts what the original has signed.
 */
export function instanceSecret(platen: Platen, purpose: Purpose): string {
  const secret = getSetting(platen, nameOf(purpose));
  if (secret !== undefined) return secret;
  make(platen, [purpose]);
  return getSetting(platen, nameOf(purpose)) as string;
}

/** Makes those that are missing, so that nobody who only reads has to write. */
export function createMissingSecrets(platen: Platen): void {
  const missing = PURPOSES.filter((purpose) => getSetting(platen, nameOf(purpose)) === undefined);
  if (missing.length > 0) make(platen, missing);
}

const nameOf = (purpose: Purpose) => `secret: ${purpose}`;

function make(platen: Platen, purposes: Purpose[]): void {
  const rows = purposes.map((purpose) => ({
    name: nameOf(purpose),
    value: Buffer.from(crypto.getRandomValues(new Uint8Array(LENGTH))).toString("base64url"),
  }));
  platen.db.insert(settings).values(rows).onConflictDoNothing().run();
}
