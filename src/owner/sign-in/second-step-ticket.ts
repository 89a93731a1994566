import { type Account, accountById } from "../../accounts/accounts";
import { MINUTE } from "../../config/units";
import type { Call } from "../../http/requests/call";
import { signText, verifySignature } from "../../secrets";
import { readCookie } from "../session-cookie";

/** What its tickets are signed for. */
const PURPOSE = "second steps";
/** How long somebody whose password was right may look for the code, in milliseconds. */
const WITHIN = 10 * MINUTE;

/** Says that the password was right, in this browser, just now. It goes through the form of the second step. */
export function secondStepTicket(call: Call, account: Account, visitor: string): string {
  const until = call.platen.now().getTime() + WITHIN;
  return `${account.id}.${until}.${signText(call.platen, PURPOSE, claimOf(account, until, visitor))}`;
}

/** Whose password was right; null where the ticket is not of this browser, too old, or of a former password. */
export function accountOfTicket(call: Call, ticket: string): Account | null {
  const [accountId = "", until = "", signature = ""] = ticket.split(".");
  const account = accountById(call.platen, Number(accountId));
  const visitor = readCookie(call, "visitor");
  if (!account || account.disabledAt || !visitor || !(Number(until) > call.platen.now().getTime()))
    return null;
  const claim = claimOf(account, Number(until), visitor);
  return verifySignature(call.platen, PURPOSE, claim, signature) ? account : null;
}

function claimOf(account: Account, until: number, visitor: string): string {
  return `${account.id} ${until} ${visitor} ${account.passwordHash}`;
}
