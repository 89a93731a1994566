import type { Account } from "../../accounts/accounts";
import { HOUR } from "../../config/units";
import { malformed } from "../../errors";
import type { Platen } from "../../platen";
import { signText, verifySignature } from "../../secrets";
import type { AuthorizationRequest } from "./authorization-request";

/** Purpose of the signature. */
const PURPOSE = "consent tickets";
/** Maximum age of a consent page in milliseconds. */
const LASTS = HOUR;

/** Data of the consent page, so that the form handler need not fetch the app again. */
export interface Ticket {
  request: AuthorizationRequest;
  clientName: string;
}

/** Signs a ticket for a hidden form field. Only the same account can use it. */
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
  if (!verifySignature(platen, PURPOSE, claim, signature))
    throw malformed("This form is not valid. Go back to the app and sign in again.");
  const ticket = JSON.parse(Buffer.from(claim, "base64url").toString());
  if (ticket.accountId !== account.id || ticket.until <= platen.now().getTime())
    throw malformed("This page was open for too long. Go back to the app and sign in again.");
  return ticket;
}
