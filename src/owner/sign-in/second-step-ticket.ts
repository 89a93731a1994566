import { type Account, accountById } from "../../accounts/accounts";
import { MINUTE } from "../../config/units";
import type { Call } from "../../http/requests/call";
import { signText, verifySignature } from "../../secrets";
import { readCookie } from "../session-cookie";

const PURPOSE = "second steps";
const TICKET_LIFETIME_MS = 10 * MINUTE;

/** A ticket for the two-factor form. It proves that the password was correct in this browser. */
export function secondStepTicket(call: Call, account: Account, visitor: string): string {
  const until = call.platen.now().getTime() + TICKET_LIFETIME_MS;
  return `${account.id}.${until}.${signText(call.platen, PURPOSE, ticketClaim(account, until, visitor))}`;
}

/** The ticket's account; null if the ticket expired, or the browser or password changed. */
export function accountOfTicket(call: Call, ticket: string): Account | null {
  const [accountId = "", until = "", signature = ""] = ticket.split(".");
  const account = accountById(call.platen, Number(accountId));
  const visitor = readCookie(call, "visitor");
  if (!account || account.disabledAt || !visitor || !(Number(until) > call.platen.now().getTime()))
    return null;
  const claim = ticketClaim(account, Number(until), visitor);
  return verifySignature(call.platen, PURPOSE, claim, signature) ? account : null;
}

function ticketClaim(account: Account, until: number, visitor: string): string {
  return `${account.id} ${until} ${visitor} ${account.passwordHash}`;
}
