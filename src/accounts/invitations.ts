import { and, eq, gt, lte } from "drizzle-orm";
import { DAY } from "../config/units";
import { invitations } from "../database/schema";
import { conflict, forbidden, invalid } from "../errors";
import type { Platen } from "../platen";
import { hashSecret, newSecret } from "../secrets";
import type { Account } from "./accounts";
import { recordAuditEvent } from "./audit-log";

/** How long a link is good, in milliseconds. */
const LIFETIME = 7 * DAY;
/** Open at once: they are shown on one page. */
const MOST_PENDING = 200;
/** In characters. */
export const MAX_INVITATION_NOTE_LENGTH = 200;

export type Invitation = typeof invitations.$inferSelect;

interface NewInvitation {
  /** Null: from a terminal. */
  invitedBy: Account | null;
  /** A note for those who look at what is pending. */
  forWhom?: string;
  isAdmin?: boolean;
}

/** @returns the text that the link carries, which is shown once: only its hash is kept. @throws Refusal: invalid naming `for`, conflict where too many are open */
export function invite(platen: Platen, { invitedBy, forWhom = "", isAdmin = false }: NewInvitation): string {
  if (forWhom.trim().length > MAX_INVITATION_NOTE_LENGTH)
    throw invalid({ for: [`must be at most ${MAX_INVITATION_NOTE_LENGTH} characters`] });
  if (pendingInvitations(platen).length >= MOST_PENDING)
    throw conflict(`${MOST_PENDING} invitations are open already; take back those that nobody will use.`);
  const text = newSecret();
  const at = platen.now();
  platen.db
    .insert(invitations)
    .values({
      hash: hashSecret(text),
      invitedById: invitedBy?.id ?? null,
      forWhom: forWhom.trim(),
      isAdmin,
      createdAt: at,
      expiresAt: new Date(at.getTime() + LIFETIME),
    })
    .run();
  recordAuditEvent(platen, "invited", {
    account: invitedBy,
    about: `${isAdmin ? "an admin" : "an author"} ${forWhom.trim()}`.trim(),
  });
  return text;
}

/** Where the invited go to, once. */
export function invitationUrl({ config }: Platen, text: string): string {
  return `${config.url}/auth/join/${text}`;
}

/** Those that can still be used, the oldest first. */
export function pendingInvitations(platen: Platen): Invitation[] {
  return platen.db
    .select()
    .from(invitations)
    .where(gt(invitations.expiresAt, platen.now()))
    .orderBy(invitations.expiresAt)
    .all();
}

/** The one whose link carries this text, or null. */
export function pendingInvitation(platen: Platen, text: string): Invitation | null {
  const isThis = eq(invitations.hash, hashSecret(text));
  const isPending = gt(invitations.expiresAt, platen.now());
  return platen.db.select().from(invitations).where(and(isThis, isPending)).get() ?? null;
}

/** Uses one up; to be called in the transaction that makes what it invites to. @throws Refusal (forbidden) */
export function takeInvitation(platen: Platen, text: string): Invitation {
  const invitation = assertInvitation(platen, text);
  platen.db.delete(invitations).where(eq(invitations.id, invitation.id)).run();
  return invitation;
}

/** @throws Refusal (forbidden) */
export function assertInvitation(platen: Platen, text: string): Invitation {
  const invitation = pendingInvitation(platen, text);
  if (!invitation)
    throw forbidden(
      "This invitation is not valid: it was used, revoked, or is older than 7 days. Ask for another one.",
    );
  return invitation;
}

/** @returns false where there is no such invitation any more */
export function revokeInvitation(platen: Platen, id: number, by: Account | null): boolean {
  const [revoked] = platen.db.delete(invitations).where(eq(invitations.id, id)).returning().all();
  if (revoked) recordAuditEvent(platen, "revoked an invitation", { account: by, about: revoked.forWhom });
  return revoked !== undefined;
}

/** Those that the account has made and nobody has used: whoever may invite no more invites nobody. */
export function deleteInvitationsBy(platen: Platen, { id }: Account): void {
  platen.db.delete(invitations).where(eq(invitations.invitedById, id)).run();
}

export function deleteEndedInvitations(platen: Platen): void {
  platen.db.delete(invitations).where(lte(invitations.expiresAt, platen.now())).run();
}
