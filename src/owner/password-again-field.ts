import type { Account } from "../accounts/accounts";
import { passkeysOf } from "../accounts/passkeys/passkeys";
import { formField } from "../http/forms/form-field";
import type { Call } from "../http/requests/call";
import { type Html, html } from "../text/html";
import { isPasswordRecent } from "./password-asked";

const SIGN_IN_AGAIN = "/auth/sign-in?again=yes&next=/admin/account";

/** The field for `requireRecentPassword`; null while it is not needed. @param purpose "to create a key" */
export function passwordAgainField(
  call: Call,
  account: Account,
  purpose: string,
  faults?: string[],
): Html | null {
  if (isPasswordRecent(call)) return null;
  const hint = `Needed ${purpose}, because you signed in more than 10 minutes ago.`;
  return html`${formField(
    { name: "password_again", label: "Your password", hint, faults },
    (tied) => html`<input ${tied} type="password" maxlength="1000" autocomplete="current-password">`,
  )}
${
  passkeysOf(call.platen, account).length > 0 &&
  html`<p class="hint">Or <a href="${SIGN_IN_AGAIN}" target="_blank" rel="noopener">sign in again with a passkey</a> in another tab, then send this form.</p>`
}`;
}
