import { eq, sql } from "drizzle-orm";
import type { Platen } from "../platen";
import { untilChanged } from "./data-version";
import { prepared } from "./prepared";
import { settings } from "./schema";

/** Bytes of randomness in a secret. */
const LENGTH = 32;

/**
 * The instance's secret for one purpose ("attachment ids"), base64url; made at its first use. It is kept in the
 * database, so that a copy of the folder accepts what the original has signed.
 */
export function instanceSecret(platen: Platen, purpose: string): string {
  const name = `secret: ${purpose}`;
  const secret = kept(platen, name);
  if (secret !== undefined) return secret;
  const fresh = Buffer.from(crypto.getRandomValues(new Uint8Array(LENGTH))).toString("base64url");
  platen.db.insert(settings).values({ name, value: fresh }).onConflictDoNothing().run();
  return kept(platen, name) as string;
}

const setting = prepared((db) =>
  db
    .select()
    .from(settings)
    .where(eq(settings.name, sql.placeholder("name")))
    .prepare(),
);

/** One that is made in a transaction that is rolled back never was. */
const kept = untilChanged((platen, name: string) => setting(platen).get({ name })?.value);
