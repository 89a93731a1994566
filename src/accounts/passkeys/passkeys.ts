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

/** In characters. */
export const MAX_PASSKEY_NAME_LENGTH = 100;
const NOT_ACCEPTED = "was not accepted: try once more";

/**
 * Keeps what a browser has just made. To be called after the account's password was asked, which made the question.
 * @param of what the question was tied to
 * @param answer the browser's, as JSON
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
 * Whose passkey has answered the question: a device that also asked its user for a finger or a PIN. Null where the answer
 * is not good, or older than one that was taken.
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
  // Once: two answers to one question may come at the same time.
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

/** False where the account has no such passkey. */
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
