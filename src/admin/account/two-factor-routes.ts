import type { Account } from "../../accounts/accounts";
import {
  beginTwoFactor,
  confirmTwoFactor,
  pendingSecret,
  recoveryCodesLeft,
  renewRecoveryCodes,
  turnOffTwoFactor,
  twoFactorSince,
} from "../../accounts/two-factor";
import { forbidden } from "../../errors";
import { inputField } from "../../http/forms/form-field";
import { throttle } from "../../http/requests/rate-limits";
import { requirePassword } from "../../owner/password-confirmation";
import { SIGN_IN_LIMITS } from "../../owner/sign-in-limits";
import { type Html, html } from "../../text/html";
import { counted } from "../../text/numbers";
import { qrCode } from "../../text/qr-code";
import { type AdminPage, accountRoutes, withActions } from "../layout/admin-routes";
import { copyField, parentLink, postForm } from "../layout/page-controls";
import type { AdminForm, Visit } from "../layout/visit";
import { currentPasswordField, hiddenUsernameField } from "./account-routes";

const PAGE = "/admin/account/codes";

export const twoFactorRoutes = accountRoutes({
  "GET /account/codes": twoFactorPage,
  "POST /account/codes": withActions(
    { begin, confirm: confirmSetup, cancel: cancelSetup, renew: renewCodes, off: turnOff },
    twoFactorPage,
  ),
});

function twoFactorPage(visit: Visit): AdminPage {
  const secret = pendingSecret(visit.platen, visit.account);
  const main = secret === null ? twoFactorMain(visit) : setUpMain(visit, secret);
  return { title: "Two-factor codes", place: "account", main };
}

async function begin(visit: Visit, form: AdminForm) {
  const { platen, account } = visit;
  await requirePassword(visit, form.get("current"));
  beginTwoFactor(platen, account);
  return { location: PAGE };
}

function confirmSetup({ platen, account }: Visit, form: AdminForm): AdminPage {
  throttle(platen, SIGN_IN_LIMITS.confirmation, `code ${account.id}`);
  return codesPage(confirmTwoFactor(platen, account, form.text("code")));
}

/** Cancels only an unconfirmed setup, because turning two-factor authentication off requires the password. */
function cancelSetup({ platen, account }: Visit) {
  if (pendingSecret(platen, account) !== null) turnOffTwoFactor(platen, account);
  return { location: PAGE };
}

async function renewCodes(visit: Visit, form: AdminForm): Promise<AdminPage> {
  const { platen, account } = visit;
  await requirePassword(visit, form.get("current"));
  if (!twoFactorSince(platen, account))
    throw forbidden("Two-factor authentication is off, so there are no recovery codes to replace.");
  return codesPage(renewRecoveryCodes(platen, account));
}

async function turnOff(visit: Visit, form: AdminForm) {
  const { platen, account } = visit;
  await requirePassword(visit, form.get("current"));
  turnOffTwoFactor(platen, account);
  return { location: PAGE, toast: "Two-factor authentication is off." };
}

const HEAD = html`${parentLink("/admin/account", "Your account")}
<div class="page-head"><h1>Two-factor codes</h1></div>`;

function twoFactorMain(visit: Visit): Html {
  const { platen, account, times } = visit;
  const since = twoFactorSince(platen, account);
  if (!since)
    return html`${HEAD}
<p class="lead">With two-factor codes, signing in asks for your password and for six digits from an app on your phone. Someone who knows only your password can't sign in. Any authenticator app works.</p>
${passwordForm(visit, html`<button class="primary" name="do" value="begin">Set up</button>`)}`;
  const remaining = recoveryCodesLeft(platen, account);
  return html`${HEAD}
<p class="lead"><span class="state live">On</span> since ${times.near(since)}. ${remaining === 0 ? "No recovery codes left: create new ones." : `${counted(remaining, "recovery code")} left.`}</p>
<p>Each recovery code signs you in once when you can't use the app. New codes replace the old ones.</p>
${passwordForm(
  visit,
  html`<button class="primary" name="do" value="renew">New recovery codes</button>
<button class="danger" name="do" value="off">Turn off</button>`,
)}`;
}

function passwordForm(visit: Visit, buttons: Html): Html {
  return html`${postForm(visit, "stack", PAGE)}
${hiddenUsernameField(visit)}
${currentPasswordField(visit)}
<div class="actions">${buttons}</div>
</form>`;
}

function setUpMain(visit: Visit, secret: string): Html {
  const { platen, account, rejected } = visit;
  const address = codeAddress(account, new URL(platen.config.url).host, secret);
  return html`${HEAD}
<p class="lead">Scan this QR code with your authenticator app, <a href="${address}">open it in an app on this device</a>, or type in the key. Then enter the six digits that the app shows.</p>
<div class="set-up">${qrCode(address, "Two-factor key of this account, for an authenticator app")}
${postForm(visit, "stack", PAGE)}
${copyField("secret", "Key", secret)}
${inputField({ errors: rejected?.errors }, "code", "Code", {
  more: html`type="text" inputmode="numeric" required maxlength="20" autocomplete="one-time-code"`,
})}
<div class="actions"><button class="primary" name="do" value="confirm">Turn on</button>
<button class="quiet" name="do" value="cancel" formnovalidate>Cancel</button></div>
</form></div>`;
}

/** In the Key Uri Format of authenticator apps. */
function codeAddress({ email }: Account, host: string, secret: string): string {
  const label = `${encodeURIComponent(host)}:${encodeURIComponent(email)}`;
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(host)}`;
}

function codesPage(codes: string[]): AdminPage {
  const main = html`<div class="page-head"><h1>Recovery codes</h1></div>
<p class="lead">Signing in now asks for a code. If you don't have your app, use a recovery code instead. Each code works once. Older recovery codes no longer work. These codes are shown <strong>only once</strong>: save them where you keep passwords, not only on your phone.</p>
${copyField("codes", "Your recovery codes", codes.join("\n"), codes.length, "codes")}
<div class="actions"><a class="button primary" href="/admin/account">I have saved them</a></div>`;
  return { title: "Recovery codes", place: "account", main };
}
