import { desc, gt, lte } from "drizzle-orm";
import { DAY } from "../config/units";
import { countRows, deleteRow, deleteRows, findRow, findRows, insertRow, updateRows } from "../database/rows";
import { accounts, blogs, invitations, sessions } from "../database/schema";
import { inTransaction } from "../database/transactions";
import { assertRules, conflict, forbidden, tooLong } from "../errors";
import type { Platen } from "../platen";
import { hashSecret, newSecret } from "../secrets";
import { type Account, assertOtherAdmin } from "./accounts";
import { deleteUnusedCodes } from "./app-tokens";
import { type Act, recordAuditEvent } from "./audit-log";
import { endSessions } from "./sessions";

export type Person = ReturnType<typeof personOf>;

export function listPeople(platen: Platen, page: number, limit: number): Person[] {
  const rows = findRows(platen, accounts, undefined, { orderBy: accounts.id, page, limit });
  return rows.map((account) => personOf(platen, account));
}

export function personOf(platen: Platen, account: Account) {
  const accountId = account.id;
  const latest = findRow(platen, sessions, { accountId }, desc(sessions.lastSeenAt));
  return { account, blogs: countRows(platen, blogs, { accountId }), lastSeenAt: latest?.lastSeenAt ?? null };
}

export function countPeople(platen: Platen): number {
  return countRows(platen, accounts);
}

export function makeAdmin(platen: Platen, account: Account, by: Account = account): void {
  changeStanding(platen, { account, by }, "made admin", { isAdmin: true });
}

export function makeAuthor(platen: Platen, account: Account, by: Account = account): void {
  inTransaction(platen, () => {
    assertOtherAdmin(platen, account, "be an author");
    deleteRows(platen, invitations, { invitedById: account.id });
    changeStanding(platen, { account, by }, "made author", { isAdmin: false });
  });
}

/** Blocks sign-in and keys. The account's blogs stay public. @throws Refusal (conflict) for the last admin */
export function disableAccount(platen: Platen, account: Account, by: Account = account): void {
  inTransaction(platen, () => {
    assertOtherAdmin(platen, account, "be disabled");
    endSessions(platen, account);
    deleteUnusedCodes(platen, account);
    deleteRows(platen, invitations, { invitedById: account.id });
    changeStanding(platen, { account, by }, "disabled", { disabledAt: platen.now() });
  });
}

export function enableAccount(platen: Platen, account: Account, by: Account = account): void {
  changeStanding(platen, { account, by }, "enabled", { disabledAt: null });
}

function changeStanding(
  platen: Platen,
  { account, by }: { account: Account; by: Account },
  act: Act,
  changes: Partial<Pick<Account, "isAdmin" | "disabledAt">>,
): void {
  inTransaction(platen, () => {
    updateRows(platen, accounts, { id: account.id }, changes);
    recordAuditEvent(platen, act, { account, by });
  });
}

const LIFETIME = 7 * DAY;
const MAX_PENDING = 200;
export const MAX_INVITATION_NOTE_LENGTH = 200;

export type Invitation = typeof invitations.$inferSelect;

/**
 * @returns URL of the link; only the hash of its secret is stored
 * @throws Refusal: invalid for `for`; conflict if too many invitations are pending
 */
export function invite(
  platen: Platen,
  { invitedBy, forWhom = "", isAdmin = false }: { invitedBy: Account | null } & Partial<Invitation>,
): string {
  assertRules({ for: tooLong(forWhom.trim(), MAX_INVITATION_NOTE_LENGTH) });
  if (pendingInvitations(platen).length >= MAX_PENDING)
    throw conflict(`${MAX_PENDING} invitations are pending already. Revoke those that nobody will use.`);
  const text = newSecret();
  const createdAt = platen.now();
  const expiresAt = new Date(createdAt.getTime() + LIFETIME);
  const purpose = { forWhom: forWhom.trim(), isAdmin, invitedById: invitedBy?.id };
  insertRow(platen, invitations, { hash: hashSecret(text), ...purpose, createdAt, expiresAt });
  const about = `${isAdmin ? "an admin" : "an author"} ${forWhom.trim()}`.trim();
  recordAuditEvent(platen, "invited", { account: invitedBy, about });
  return `${platen.config.url}/auth/join/${text}`;
}

export function pendingInvitations(platen: Platen): Invitation[] {
  const isPending = gt(invitations.expiresAt, platen.now());
  return findRows(platen, invitations, isPending, { orderBy: invitations.expiresAt });
}

export function pendingInvitation(platen: Platen, text: string): Invitation | null {
  const invitation = findRow(platen, invitations, { hash: hashSecret(text) });
  return invitation && invitation.expiresAt > platen.now() ? invitation : null;
}

/**
 * Call this function in the transaction that creates the account, so that the invitation works only once.
 * @throws Refusal (forbidden)
 */
export function takeInvitation(platen: Platen, text: string): Invitation {
  const invitation = assertInvitation(platen, text);
  deleteRows(platen, invitations, { id: invitation.id });
  return invitation;
}

export function assertInvitation(platen: Platen, text: string): Invitation {
  const invitation = pendingInvitation(platen, text);
  if (!invitation)
    throw forbidden(
      "This invitation is not valid: it was used, revoked, or is older than 7 days. Ask for another one.",
    );
  return invitation;
}

export function revokeInvitation(platen: Platen, id: number, by: Account | null): boolean {
  const revoked = deleteRow(platen, invitations, { id });
  if (revoked) recordAuditEvent(platen, "revoked an invitation", { account: by, about: revoked.forWhom });
  return revoked !== undefined;
}

export function deleteEndedInvitations(platen: Platen): void {
  deleteRows(platen, invitations, lte(invitations.expiresAt, platen.now()));
}
