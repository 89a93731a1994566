import type { Account } from "../accounts/accounts";
import { accountWithPassword } from "../accounts/passwords";
import { confirmSession, isConfirmedWithin } from "../accounts/sessions";
import { MINUTE } from "../config/units";
import { invalid, type Refusal } from "../errors";
import type { Call } from "../http/requests/call";
import { throttle } from "../http/requests/rate-limits";
import { readCookie } from "./session-cookie";
import { ASKED_AGAIN } from "./sign-in-limits";

/** How long the password is not asked again, in milliseconds. */
const CONFIRMED_FOR = 10 * MINUTE;

/**
 * Asked before what would let somebody stay who has only got hold of a session.
 * @throws Refusal: throttled, invalid naming `current`
 */
export async function demandPassword(call: Call, account: Account, password: string | null): Promise<void> {
  if (!(await isPassword(call, account, password)))
    throw invalid({ current: ["is not the one that you sign in with"] });
}

/**
 * Asks for the password unless it was given within the last ten minutes; signing in counts, a passkey too.
 * @throws Refusal: throttled, invalid naming `password_again`
 */
export async function demandRecentPassword(
  call: Call,
  account: Account,
  password: string | null,
): Promise<void> {
  if (isPasswordRecent(call)) return;
  if (!password) throw passwordAgain("is needed for that");
  if (!(await isPassword(call, account, password)))
    throw passwordAgain("is not the one that you sign in with");
}

export function isPasswordRecent(call: Call): boolean {
  return isConfirmedWithin(call.platen, readCookie(call, "session") ?? "", CONFIRMED_FOR);
}

function passwordAgain(says: string): Refusal {
  return invalid({ password_again: [says] });
}

async function isPassword(call: Call, account: Account, password: string | null): Promise<boolean> {
  const { platen } = call;
  throttle(platen, ASKED_AGAIN, String(account.id));
  if (!(await accountWithPassword(platen, account.email, password ?? ""))) return false;
  confirmSession(platen, readCookie(call, "session") ?? "");
  return true;
}
