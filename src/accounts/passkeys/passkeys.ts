import { and, eq, isNull } from "drizzle-orm";
import { passkeys } from "../../database/schema";
import { inTransaction } from "../../database/transactions";
import { invalid } from "../../errors";
import type { Platen } from "../../platen";
import { type Account, accountById } from "../accounts";
import { recordAuditEvent } from "../audit-log";
import { passkeyChallengeTime } from "./passkey-challenges";
import { type PasskeySite, verifyNewPasskey, verifyPasskeyResponse } from "./passkey-protocol";

export type Passkey = typeof passkeys.$inferSelect;

/** Maximum length of the name in characters. */
export const MAX_PASSKEY_NAME_LENGTH = 100;
const NOT_ACCEPTED = "was not accepted: try once more";

/**
 * Stores a new passkey. Call it only after the user has entered the password.
 * @param of what the challenge is bound to
 * @param answer the browser's response as JSON
 * @throws Refusal (invalid) naming `name` or `passkey`
 */
export async function addPasskey(
  platen: Platen,
  account: Account,
  { site, of, name, answer }: { site: PasskeySite; of: string; name: string; answer: unknown },
): Promise<void> {
  if (name.trim().length > MAX_PASSKEY_NAME_LENGTH)
    throw invalid({ name: [`must be at most ${MAX_PASSKEY_NAME_LENGTH} characters`] });
  const made = await verifyNewPasskey(
    site,
    answer,
    (challenge) => passkeyChallengeTime(platen, challenge, of) !== null,
  );
  if (!made || passkeyWithId(platen, made.credentialId)) throw invalid({ passkey: [NOT_ACCEPTED] });
  inTransaction(platen, () => {
    platen.db
      .insert(passkeys)
      .values({ ...made, accountId: account.id, name: name.trim() || "Passkey", createdAt: platen.now() })
      .run();
    recordAuditEvent(platen, "added a passkey", { account, about: name.trim() });
  });
}

/**
 * Finds the account by the response of its passkey, which must include user verification.
 * @returns null if the response is invalid, or if its challenge was used already
 */
export async function accountWithPasskey(
  platen: Platen,
  { site, of, answer }: { site: PasskeySite; of: string; answer: unknown },
): Promise<Account | null> {
  const row = passkeyWithId(platen, idIn(answer));
  if (!row) return null;
  let askedAt: Date | null = null;
  const counter = await verifyPasskeyResponse(site, answer, row, (challenge) => {
    askedAt = passkeyChallengeTime(platen, challenge, of);
    return askedAt !== null && askedAt > (row.askedAt ?? new Date(0));
  });
  if (counter === null) return null;
  const changes = { counter, askedAt, lastUsedAt: platen.now() };
  // Accepts only one of two concurrent responses to the same challenge.
  const isAsBefore = and(
    eq(passkeys.id, row.id),
    row.askedAt ? eq(passkeys.askedAt, row.askedAt) : isNull(passkeys.askedAt),
  );
  const used = platen.db.update(passkeys).set(changes).where(isAsBefore).returning({ id: passkeys.id }).all();
  return used.length > 0 ? (accountById(platen, row.accountId) ?? null) : null;
}

export function passkeysOf(platen: Platen, account: Account): Passkey[] {
  return platen.db
    .select()
    .from(passkeys)
    .where(eq(passkeys.accountId, account.id))
    .orderBy(passkeys.id)
    .all();
}

/** @returns false if the account has no such passkey */
export function removePasskey(platen: Platen, account: Account, id: number): boolean {
  const isThis = and(eq(passkeys.id, id), eq(passkeys.accountId, account.id));
  const [removed] = platen.db.delete(passkeys).where(isThis).returning({ name: passkeys.name }).all();
  if (removed) recordAuditEvent(platen, "removed a passkey", { account, about: removed.name });
  return removed !== undefined;
}

function passkeyWithId(platen: Platen, credentialId: string): Passkey | undefined {
  return platen.db.select().from(passkeys).where(eq(passkeys.credentialId, credentialId)).get();
}

function idIn(answer: unknown): string {
  const id = typeof answer === "object" && answer !== null && "id" in answer ? answer.id : "";
  return typeof id === "string" ? id : "";
}
