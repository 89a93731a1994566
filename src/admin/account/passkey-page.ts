import { passkeySite } from "../../accounts/passkeys/passkey-protocol";
import { MAX_PASSKEY_NAME_LENGTH, type Passkey, passkeysOf } from "../../accounts/passkeys/passkeys";
import type { FieldErrors } from "../../errors";
import { formError, formField } from "../../http/forms/form-field";
import { requestBase } from "../../http/requests/client-address";
import { csrfField } from "../../owner/csrf";
import { sessionOrigin } from "../../owner/session-start";
import { type Html, html } from "../../text/html";
import { parentLink } from "../layout/list-controls";
import type { Visit } from "../layout/visit";
import { type Times, timesFor } from "../words/times";
import { hiddenUsernameField } from "./account-page";

const PATH = "/admin/account/passkeys";
const HEAD = html`${parentLink("/admin/account", "Your account")}
<div class="page-head"><h1>Passkeys</h1></div>`;

export function passkeysMain(visitor: Visit, typed?: { name: string; faults: FieldErrors }): Html {
  const { call, account, blog, token } = visitor;
  const times = timesFor({ timeZone: blog?.timeZone ?? "UTC" }, call.platen.now());
  const rows = passkeysOf(call.platen, account);
  return html`${HEAD}
<p class="lead">A passkey signs you in with your fingerprint, face or PIN on your phone, computer or security key, without a password or code. It works at this address only, so it can't be phished.</p>
${typed?.faults.passkey && formError("The passkey was not accepted. Try again.")}
${rows.length > 0 && html`<ul class="rows">${rows.map((row) => passkeyRow(row, token, times))}</ul>`}
${addPasskeySection(visitor, typed)}`;
}

function passkeyRow({ id, name, createdAt, lastUsedAt }: Passkey, token: string, times: Times): Html {
  return html`<li><div class="what"><strong class="name"><bdi>${name}</bdi></strong>
<p class="about"><span>added ${times.near(createdAt)}</span><span>${lastUsedAt ? html`used ${times.near(lastUsedAt)}` : "never used"}</span></p></div>
<form method="post" action="${PATH}">${csrfField(token)}<input type="hidden" name="do" value="remove"><input type="hidden" name="id" value="${id}"><button class="quiet">Remove<span class="spoken"> ${name}</span></button></form></li>`;
}

/** A passkey is bound to one host, so the form is only offered there. */
function addPasskeySection(
  { call, account, token }: Visit,
  typed?: { name: string; faults: FieldErrors },
): Html {
  const site = passkeySite(call.platen);
  if (!site)
    return html`<p>Passkeys need an https address with a host name. This server's address is <strong>${call.platen.config.url}</strong>; its owner can change it with <code>PLATEN_URL</code>.</p>`;
  if (requestBase(call).origin !== site.origin)
    return html`<p>Create and use passkeys at <a href="${site.origin}${PATH}">${site.host}</a>.</p>`;
  const name = typed?.name ?? sessionOrigin(call).device;
  return html`<section><h2>Add a passkey</h2>
<form class="stack" method="post" action="${PATH}">
${csrfField(token)}
<input type="hidden" name="do" value="begin">
${hiddenUsernameField(account)}
${formField(
  { name: "name", label: "Name", hint: "To recognize it later.", faults: typed?.faults.name },
  (tied) =>
    html`<input ${tied} type="text" maxlength="${MAX_PASSKEY_NAME_LENGTH}" autocomplete="off" value="${name}">`,
)}
${formField(
  { name: "current", label: "Current password", faults: typed?.faults.current },
  (tied) => html`<input ${tied} type="password" required maxlength="1000" autocomplete="current-password">`,
)}
<div class="actions"><button class="primary">Continue</button></div>
</form></section>`;
}

export function newPasskeyMain({ token }: Visit, name: string, options: object): Html {
  return html`${HEAD}
<p class="lead">Your browser now asks where to save the passkey, and for your fingerprint, face or PIN.</p>
<noscript><p>Passkeys need JavaScript, which is turned off in this browser.</p></noscript>
<form class="actions" method="post" action="${PATH}" data-new-passkey="${JSON.stringify(options)}" hidden>
${csrfField(token)}
<input type="hidden" name="do" value="add">
<input type="hidden" name="name" value="${name}">
<input type="hidden" name="answer">
<button class="primary">Create passkey</button>
<a class="button quiet" href="${PATH}">Cancel</a>
<p class="wrong" role="status" hidden>No passkey was created. Try again.</p>
</form>`;
}
