import type { Account } from "../accounts/accounts";
import { accountWithPassword } from "../accounts/passwords";
import { confirmSession, isConfirmedWithin } from "../accounts/sessions";
import { MINUTE } from "../config/units";
import { invalid, type Refusal } from "../errors";
import type { Call } from "../http/requests/call";
import { throttle } from "../http/requests/rate-limits";
import { readCookie } from "./session-cookie";
import { ASKED_AGAIN } from "./sign-in-limits";

const CONFIRMED_FOR_MS = 10 * MINUTE;

/** For changes that would let a session thief stay. @throws Refusal: throttled, invalid naming `current` */
export async function demandPassword(call: Call, account: Account, password: string | null): Promise<void> {
  if (!(await checkPassword(call, account, password))) throw invalid({ current: ["is wrong"] });
}

/** Asks for the password unless it was given in the last ten minutes; any sign-in counts. @throws Refusal: throttled, invalid naming `password_again` */
export async function demandRecentPassword(
  call: Call,
  account: Account,
  password: string | null,
): Promise<void> {
  if (isPasswordRecent(call)) return;
  if (!password) throw passwordAgain("is required");
  if (!(await checkPassword(call, account, password))) throw passwordAgain("is wrong");
}

export function isPasswordRecent(call: Call): boolean {
  return isConfirmedWithin(call.platen, readCookie(call, "session") ?? "", CONFIRMED_FOR_MS);
}

function passwordAgain(says: string): Refusal {
  return invalid({ password_again: [says] });
}

async function checkPassword(call: Call, account: Account, password: string | null): Promise<boolean> {
  const { platen } = call;
  throttle(platen, ASKED_AGAIN, String(account.id));
  if (!(await accountWithPassword(platen, account.email, password ?? ""))) return false;
  confirmSession(platen, readCookie(call, "session") ?? "");
  return true;
}
