import { gt, lte } from "drizzle-orm";
import { DAY } from "../config/units";
import { deleteRow, deleteRows, findRow, findRows, insertRow } from "../database/rows";
import { invitations } from "../database/schema";
import { assertRules, conflict, forbidden, tooLong } from "../errors";
import type { Platen } from "../platen";
import { hashSecret, newSecret } from "../secrets";
import type { Account } from "./accounts";
import { recordAuditEvent } from "./audit-log";

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

export function deleteInvitationsBy(platen: Platen, { id }: Account): void {
  deleteRows(platen, invitations, { invitedById: id });
}

export function deleteEndedInvitations(platen: Platen): void {
  deleteRows(platen, invitations, lte(invitations.expiresAt, platen.now()));
}
