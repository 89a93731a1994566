import type { Account } from "../accounts/accounts";
import { passkeysOf } from "../accounts/passkeys";
import { accountWithPassword } from "../accounts/passwords";
import { confirmSession, isConfirmedWithin } from "../accounts/sessions";
import { MINUTE } from "../config/units";
import { invalid } from "../errors";
import { type FormState, inputField } from "../http/form-field";
import type { Call } from "../http/requests/call";
import { throttle } from "../http/requests/rate-limits";
import { type Html, html } from "../text/html";
import { readCookie } from "./session-cookie";
import { SIGN_IN_LIMITS } from "./sign-in-limits";

const CONFIRMED_FOR_MS = 10 * MINUTE;

interface Owner {
  call: Call;
  account: Account;
}

/** For changes that would give a session thief permanent access. */
export async function requirePassword(owner: Owner, password: string | null): Promise<void> {
  if (!(await checkPassword(owner, password))) throw invalid({ current: ["is wrong"] });
}

/**
 * Succeeds if the password was entered, or the user signed in, in the last ten minutes.
 * @throws Refusal: throttled; invalid for `password_again`
 */
export async function requireRecentPassword(owner: Owner, form: Pick<URLSearchParams, "get">): Promise<void> {
  if (isPasswordRecent(owner)) return;
  const password = form.get("password_again");
  if (!password) throw invalid({ password_again: ["is required"] });
  if (!(await checkPassword(owner, password))) throw invalid({ password_again: ["is wrong"] });
}

export function isPasswordRecent({ call }: Owner): boolean {
  return isConfirmedWithin(call.platen, readCookie(call, "session") ?? "", CONFIRMED_FOR_MS);
}

async function checkPassword({ call, account }: Owner, password: string | null): Promise<boolean> {
  const { platen } = call;
  throttle(platen, SIGN_IN_LIMITS.confirmation, String(account.id));
  if (!(await accountWithPassword(platen, account.email, password ?? ""))) return false;
  confirmSession(platen, readCookie(call, "session") ?? "");
  return true;
}

const SIGN_IN_AGAIN = "/auth/sign-in?again=yes&next=/admin/account";

/** null if no password is needed. @param purpose such as "to create a key" */
export function passwordAgainField(owner: Owner & { rejected?: FormState }, purpose: string): Html | null {
  if (isPasswordRecent(owner)) return null;
  const { call, account, rejected } = owner;
  return html`${inputField({ errors: rejected?.errors }, "password_again", "Your password", {
    hint: `Needed ${purpose}, because you signed in more than 10 minutes ago.`,
    more: html`type="password" maxlength="1000" autocomplete="current-password"`,
  })}
${
  passkeysOf(call.platen, account).length > 0 &&
  html`<p class="hint">Or <a href="${SIGN_IN_AGAIN}" target="_blank" rel="noopener">sign in again with a passkey</a> in another tab, then send this form.</p>`
}`;
}
