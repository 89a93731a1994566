import type { Account } from "../../accounts/accounts";
import { HOUR } from "../../config/units";
import { malformed } from "../../errors";
import type { Platen } from "../../platen";
import { signText, verifySignature } from "../../secrets";
import type { AuthorizationRequest } from "./authorization-request";

/** What tickets are signed for. */
const PURPOSE = "consent tickets";
/** How long a consent page may lie open, in milliseconds. */
const LASTS = HOUR;

/** What the consent page was shown for: found right then, and not asked for again when the answer comes. */
export interface Ticket {
  request: AuthorizationRequest;
  clientName: string;
}

/** A hidden field that brings it back unchanged, from the same account. */
export function sealTicket(platen: Platen, account: Account, ticket: Ticket): string {
  const until = platen.now().getTime() + LASTS;
  const claim = Buffer.from(JSON.stringify({ ...ticket, accountId: account.id, until })).toString(
    "base64url",
  );
  return `${claim}.${signText(platen, PURPOSE, claim)}`;
}

/** @throws Refusal (malformed) */
export function openTicket(platen: Platen, account: Account, sealed: string): Ticket {
  const [claim = "", signature = ""] = sealed.split(".");
  if (!verifySignature(platen, PURPOSE, claim, signature)) throw malformed("This form is not one of ours.");
  const ticket = JSON.parse(Buffer.from(claim, "base64url").toString());
  if (ticket.accountId !== account.id || ticket.until <= platen.now().getTime())
    throw malformed("This page has lain open for too long. Go back to the app and sign in again.");
  return ticket;
}
