import type { Account } from "../accounts/accounts";
import { passkeysOf } from "../accounts/passkeys";
import { accountWithPassword } from "../accounts/passwords";
import { confirmSession, isConfirmedWithin } from "../accounts/sessions";
import { MINUTE } from "../config/units";
import { type FieldErrors, invalid, type Refusal } from "../errors";
import { inputField } from "../http/forms/form-field";
import type { Call } from "../http/requests/call";
import { throttle } from "../http/requests/rate-limits";
import { type Html, html } from "../text/html";
import { readCookie } from "./session-cookie";
import { SIGN_IN_LIMITS } from "./sign-in-limits";

const CONFIRMED_FOR_MS = 10 * MINUTE;

/** For changes that would give a session thief permanent access. */
export async function requirePassword(call: Call, account: Account, password: string | null): Promise<void> {
  if (!(await checkPassword(call, account, password))) throw invalid({ current: ["is wrong"] });
}

/**
 * Succeeds if the password was entered, or the user signed in, in the last ten minutes.
 * @throws Refusal: throttled; invalid for `password_again`
 */
export async function requireRecentPassword(
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

function passwordAgain(message: string): Refusal {
  return invalid({ password_again: [message] });
}

async function checkPassword(call: Call, account: Account, password: string | null): Promise<boolean> {
  const { platen } = call;
  throttle(platen, SIGN_IN_LIMITS.confirmation, String(account.id));
  if (!(await accountWithPassword(platen, account.email, password ?? ""))) return false;
  confirmSession(platen, readCookie(call, "session") ?? "");
  return true;
}

const SIGN_IN_AGAIN = "/auth/sign-in?again=yes&next=/admin/account";

/** null if no password is needed. @param purpose such as "to create a key" */
export function passwordAgainField(
  call: Call,
  account: Account,
  purpose: string,
  errors?: FieldErrors,
): Html | null {
  if (isPasswordRecent(call)) return null;
  return html`${inputField({ errors }, "password_again", "Your password", {
    hint: `Needed ${purpose}, because you signed in more than 10 minutes ago.`,
    more: html`type="password" maxlength="1000" autocomplete="current-password"`,
  })}
${
  passkeysOf(call.platen, account).length > 0 &&
  html`<p class="hint">Or <a href="${SIGN_IN_AGAIN}" target="_blank" rel="noopener">sign in again with a passkey</a> in another tab, then send this form.</p>`
}`;
}
