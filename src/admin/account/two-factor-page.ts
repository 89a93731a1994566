import type { Account } from "../../accounts/accounts";
import { recoveryCodesLeft, twoFactorSince } from "../../accounts/two-factor/two-factor";
import type { FieldErrors } from "../../errors";
import { formField } from "../../http/forms/form-field";
import { csrfField } from "../../owner/csrf";
import { type Html, html } from "../../text/html";
import { counted } from "../../text/numbers";
import { qrCode } from "../../text/qr-code";
import { wayUp } from "../layout/page-links";
import type { Visit } from "../layout/visit";
import { timesFor } from "../words/times";
import { whosePassword } from "./account-page";

const HEAD = html`${wayUp("/admin/account", "Your account")}
<div class="page-head"><h1>Codes from an app</h1></div>`;

/** Whether codes are asked, and forms to change that. Each asks for the password. */
export function twoFactorMain(visitor: Visit, faults: FieldErrors): Html {
  const { call, account, blog } = visitor;
  const since = twoFactorSince(call.platen, account);
  if (!since)
    return html`${HEAD}
<p class="lead">Besides your password, signing in asks for six digits that an app on your phone shows: whoever has got hold of the password alone stays outside. Any authenticator app will do.</p>
${passwordForm(visitor, faults, html`<button class="primary" name="do" value="begin">Set up</button>`)}`;
  const times = timesFor({ timeZone: blog?.timeZone ?? "UTC" }, call.platen.now());
  const left = recoveryCodesLeft(call.platen, account);
  return html`${HEAD}
<p class="lead"><span class="state live">On</span> since ${times.near(since)}. ${left === 0 ? "No recovery code is left: make new ones." : `${counted(left, "recovery code")} left.`}</p>
<p>Each recovery code signs you in once where the app cannot. New ones end the former ones.</p>
${passwordForm(
  visitor,
  faults,
  html`<button class="primary" name="do" value="renew">New recovery codes</button>
<button class="danger" name="do" value="off">Turn off</button>`,
)}`;
}

/** @param buttons what the password is asked for */
function passwordForm({ account, token }: Visit, faults: FieldErrors, buttons: Html): Html {
  return html`<form class="stack" method="post" action="/admin/account/codes">
${csrfField(token)}
${whosePassword(account)}
${formField(
  { name: "current", label: "Present password", faults: faults.current },
  (tied) => html`<input ${tied} type="password" required maxlength="1000" autocomplete="current-password">`,
)}
<div class="actions">${buttons}</div>
</form>`;
}

/** The secret, as a code for the camera and as text, and where the first code goes. */
export function setUpMain({ call, account, token }: Visit, secret: string, faults: FieldErrors): Html {
  const address = codeAddress(account, new URL(call.platen.config.url).host, secret);
  return html`${HEAD}
<p class="lead">Scan this with your authenticator app, <a href="${address}">open it in one on this device</a>, or type the key into it. Then type the digits that it shows.</p>
<div class="set-up">${qrCode(address, "The key of this account, for an authenticator app")}
<form class="stack" method="post" action="/admin/account/codes">
${csrfField(token)}
<div class="field"><label for="secret">Key</label>
<div class="beside"><textarea readonly rows="1" id="secret" spellcheck="false">
${secret}</textarea>
<button type="button" class="quiet" data-copy="secret" data-with-scripts>Copy</button></div></div>
${formField(
  { name: "code", label: "Code", faults: faults.code },
  (tied) =>
    html`<input ${tied} type="text" inputmode="numeric" required maxlength="20" autocomplete="one-time-code">`,
)}
<div class="actions"><button class="primary" name="do" value="confirm">Turn on</button>
<button class="quiet" name="do" value="cancel" formnovalidate>Cancel</button></div>
</form></div>`;
}

/** As authenticator apps take it (google-authenticator wiki, Key Uri Format): issuer and account, then the secret. */
function codeAddress({ email }: Account, host: string, secret: string): string {
  const label = `${encodeURIComponent(host)}:${encodeURIComponent(email)}`;
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(host)}`;
}

/** The only time they are shown. */
export function codesMain(codes: string[]): Html {
  return html`<div class="page-head"><h1>Recovery codes</h1></div>
<p class="lead">Signing in asks for a code now. Where you have no app at hand, one of these will do, each once; former ones do no longer. They are shown <strong>only now</strong>: keep them where you keep passwords, and not on the phone alone.</p>
<div class="field"><label for="codes">Your recovery codes</label>
<div class="beside"><textarea readonly rows="${codes.length}" id="codes" class="codes" spellcheck="false">
${codes.join("\n")}</textarea>
<button type="button" class="quiet" data-copy="codes" data-with-scripts>Copy</button></div></div>
<div class="actions"><a class="button primary" href="/admin/account">I have kept them</a></div>`;
}
