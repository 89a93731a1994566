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
import { type FieldErrors, fieldErrorsOf, forbidden, malformed } from "../../errors";
import { inputField } from "../../http/forms/form-field";
import { throttle } from "../../http/requests/rate-limits";
import { type HttpResponse, seeOther } from "../../http/responses/response";
import { csrfField } from "../../owner/csrf";
import { requirePassword } from "../../owner/password-confirmation";
import { SIGN_IN_LIMITS } from "../../owner/sign-in-limits";
import type { Platen } from "../../platen";
import { type Html, html } from "../../text/html";
import { counted } from "../../text/numbers";
import { qrCode } from "../../text/qr-code";
import { adminResponse, adminRouter, onAccount } from "../layout/admin-responses";
import { copyField, parentLink } from "../layout/page-controls";
import { redirectWithToast } from "../layout/toasts";
import { type AdminForm, type Visit, withForm } from "../layout/visit";
import { currentPasswordField, hiddenUsernameField } from "./account-routes";

const PAGE = "/admin/account/codes";

export const twoFactorRoutes = (platen: Platen) =>
  adminRouter(platen, "codes")
    .get(
      PAGE,
      onAccount((visitor) => pageResponse(visitor)),
    )
    .post(PAGE, onAccount(withForm(changeTwoFactor)));

function pageResponse(visitor: Visit, rejected?: FieldErrors): Promise<HttpResponse> {
  const { call, account } = visitor;
  const secret = pendingSecret(call.platen, account);
  const errors = rejected ?? {};
  const main = secret === null ? twoFactorMain(visitor, errors) : setUpMain(visitor, secret, errors);
  return adminResponse(visitor, {
    title: "Two-factor codes",
    place: "account",
    main,
    isRejected: !!rejected,
  });
}

async function changeTwoFactor(visitor: Visit, form: AdminForm): Promise<HttpResponse> {
  const { call, account } = visitor;
  const action = form.text("do");
  try {
    if (action === "confirm") return confirmSetup(visitor, form.text("code"));
    if (action === "cancel") return cancelSetup(visitor);
    if (!["begin", "renew", "off"].includes(action)) throw malformed("Choose an action.");
    await requirePassword(call, account, form.get("current"));
    if (action === "renew") return renewCodes(visitor);
    if (action === "off") return turnOff(visitor);
    beginTwoFactor(call.platen, account);
    return seeOther(PAGE);
  } catch (error) {
    return pageResponse(visitor, fieldErrorsOf(error));
  }
}

function confirmSetup(visitor: Visit, code: string): Promise<HttpResponse> {
  const { call, account } = visitor;
  throttle(call.platen, SIGN_IN_LIMITS.confirmation, `code ${account.id}`);
  return codesResponse(visitor, confirmTwoFactor(call.platen, account, code));
}

/** Cancels only an unconfirmed setup, because turning two-factor authentication off requires the password. */
function cancelSetup({ call, account }: Visit): HttpResponse {
  if (pendingSecret(call.platen, account) !== null) turnOffTwoFactor(call.platen, account);
  return seeOther(PAGE);
}

function renewCodes(visitor: Visit): Promise<HttpResponse> {
  const { call, account } = visitor;
  if (!twoFactorSince(call.platen, account))
    throw forbidden("Two-factor authentication is off, so there are no recovery codes to replace.");
  return codesResponse(visitor, renewRecoveryCodes(call.platen, account));
}

function turnOff({ call, account }: Visit): HttpResponse {
  turnOffTwoFactor(call.platen, account);
  return redirectWithToast(call, PAGE, "Two-factor authentication is off.");
}

function codesResponse(visitor: Visit, codes: string[]): Promise<HttpResponse> {
  return adminResponse(visitor, { title: "Recovery codes", place: "account", main: codesMain(codes) });
}

const HEAD = html`${parentLink("/admin/account", "Your account")}
<div class="page-head"><h1>Two-factor codes</h1></div>`;

function twoFactorMain(visitor: Visit, errors: FieldErrors): Html {
  const { call, account, times } = visitor;
  const since = twoFactorSince(call.platen, account);
  if (!since)
    return html`${HEAD}
<p class="lead">With two-factor codes, signing in asks for your password and for six digits from an app on your phone. Someone who knows only your password can't sign in. Any authenticator app works.</p>
${passwordForm(visitor, errors, html`<button class="primary" name="do" value="begin">Set up</button>`)}`;
  const remaining = recoveryCodesLeft(call.platen, account);
  return html`${HEAD}
<p class="lead"><span class="state live">On</span> since ${times.near(since)}. ${remaining === 0 ? "No recovery codes left: create new ones." : `${counted(remaining, "recovery code")} left.`}</p>
<p>Each recovery code signs you in once when you can't use the app. New codes replace the old ones.</p>
${passwordForm(
  visitor,
  errors,
  html`<button class="primary" name="do" value="renew">New recovery codes</button>
<button class="danger" name="do" value="off">Turn off</button>`,
)}`;
}

function passwordForm({ account, token }: Visit, errors: FieldErrors, buttons: Html): Html {
  return html`<form class="stack" method="post" action="/admin/account/codes">
${csrfField(token)}
${hiddenUsernameField(account)}
${currentPasswordField(errors)}
<div class="actions">${buttons}</div>
</form>`;
}

function setUpMain({ call, account, token }: Visit, secret: string, errors: FieldErrors): Html {
  const address = codeAddress(account, new URL(call.platen.config.url).host, secret);
  return html`${HEAD}
<p class="lead">Scan this QR code with your authenticator app, <a href="${address}">open it in an app on this device</a>, or type in the key. Then enter the six digits that the app shows.</p>
<div class="set-up">${qrCode(address, "Two-factor key of this account, for an authenticator app")}
<form class="stack" method="post" action="/admin/account/codes">
${csrfField(token)}
${copyField("secret", "Key", secret)}
${inputField({ errors }, "code", "Code", {
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

function codesMain(codes: string[]): Html {
  return html`<div class="page-head"><h1>Recovery codes</h1></div>
<p class="lead">Signing in now asks for a code. If you don't have your app, use a recovery code instead. Each code works once. Older recovery codes no longer work. These codes are shown <strong>only once</strong>: save them where you keep passwords, not only on your phone.</p>
${copyField("codes", "Your recovery codes", codes.join("\n"), codes.length, "codes")}
<div class="actions"><a class="button primary" href="/admin/account">I have saved them</a></div>`;
}
