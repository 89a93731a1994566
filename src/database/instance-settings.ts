import type { Platen } from "../platen";
import { findRowBy } from "./prepared";
import { deleteRows } from "./rows";
import { settings } from "./schema";

const settingWithName = findRowBy(settings, ["name"]);

export function getSetting(platen: Pick<Platen, "db">, name: string): string | undefined {
  return settingWithName(platen, { name })?.value;
}

export function saveSetting({ db }: Platen, name: string, value: string): void {
  db.insert(settings)
    .values({ name, value })
    .onConflictDoUpdate({ target: settings.name, set: { value } })
    .run();
}

export function deleteSetting(platen: Platen, name: string): void {
  deleteRows(platen, settings, { name });
}

const SECRET_BYTES = 32;

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
  const rows = purposes.map((purpose) => ({
    name: settingName(purpose),
    value: Buffer.from(crypto.getRandomValues(new Uint8Array(SECRET_BYTES))).toString("base64url"),
  }));
  platen.db.insert(settings).values(rows).onConflictDoNothing().run();
}
