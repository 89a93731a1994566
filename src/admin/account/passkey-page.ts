import { passkeySite } from "../../accounts/passkeys/passkey-protocol";
import { LONGEST_PASSKEY_NAME, type Passkey, passkeysOf } from "../../accounts/passkeys/passkeys";
import type { FieldErrors } from "../../errors";
import { formError, formField } from "../../http/forms/form-field";
import { requestBase } from "../../http/requests/client-address";
import { csrfField } from "../../owner/csrf";
import { originOf } from "../../owner/session-origin";
import { type Html, html } from "../../text/html";
import { wayUp } from "../layout/page-links";
import type { Visit } from "../layout/visit";
import { type Times, timesFor } from "../words/times";
import { whosePassword } from "./account-page";

const PATH = "/admin/account/passkeys";
const HEAD = html`${wayUp("/admin/account", "Your account")}
<div class="page-head"><h1>Passkeys</h1></div>`;

/** Those there are, and a form that begins another. @param typed what was wrong with the last try */
export function passkeysMain(visitor: Visit, typed?: { name: string; faults: FieldErrors }): Html {
  const { call, account, blog, token } = visitor;
  const times = timesFor({ timeZone: blog?.timeZone ?? "UTC" }, call.platen.now());
  const rows = passkeysOf(call.platen, account);
  return html`${HEAD}
<p class="lead">A passkey signs you in by your phone, computer or security key, with its finger, face or PIN: without password, and without a code. It works at one address only, so nobody can fish it.</p>
${typed?.faults.passkey && formError("The passkey was not accepted. Try once more.")}
${rows.length > 0 && html`<ul class="rows">${rows.map((row) => passkeyRow(row, token, times))}</ul>`}
${addPart(visitor, typed)}`;
}

function passkeyRow({ id, name, createdAt, lastUsedAt }: Passkey, token: string, times: Times): Html {
  return html`<li><div class="what"><strong class="name"><bdi>${name}</bdi></strong>
<p class="about"><span>added ${times.near(createdAt)}</span><span>${lastUsedAt ? html`used ${times.near(lastUsedAt)}` : "never used"}</span></p></div>
<form method="post" action="${PATH}">${csrfField(token)}<input type="hidden" name="do" value="remove"><input type="hidden" name="id" value="${id}"><button class="quiet">Remove<span class="spoken"> ${name}</span></button></form></li>`;
}

/** Browsers make passkeys at the one host of this server that has an account's pages for good. */
function addPart({ call, account, token }: Visit, typed?: { name: string; faults: FieldErrors }): Html {
  const site = passkeySite(call.platen);
  if (!site)
    return html`<p>Browsers make passkeys for addresses with a name and https only, and this server's is <strong>${call.platen.config.url}</strong>. Whoever runs it can set <code>PLATEN_URL</code>.</p>`;
  if (requestBase(call).origin !== site.origin)
    return html`<p>They are made and used at <a href="${site.origin}${PATH}">${site.host}</a>.</p>`;
  const name = typed?.name ?? originOf(call).device;
  return html`<section><h2>Add a passkey</h2>
<form class="stack" method="post" action="${PATH}">
${csrfField(token)}
<input type="hidden" name="do" value="begin">
${whosePassword(account)}
${formField(
  { name: "name", label: "Name", hint: "To tell it from others.", faults: typed?.faults.name },
  (tied) =>
    html`<input ${tied} type="text" maxlength="${LONGEST_PASSKEY_NAME}" autocomplete="off" value="${name}">`,
)}
${formField(
  { name: "current", label: "Present password", faults: typed?.faults.current },
  (tied) => html`<input ${tied} type="password" required maxlength="1000" autocomplete="current-password">`,
)}
<div class="actions"><button class="primary">Go on</button></div>
</form></section>`;
}

/** The password was right: the browser is asked, by the script. */
export function newPasskeyMain({ token }: Visit, name: string, options: object): Html {
  return html`${HEAD}
<p class="lead">Your browser asks now where to keep the passkey, and for your finger, face or PIN.</p>
<noscript><p>Browsers make passkeys by a script only, and this one runs none.</p></noscript>
<form class="actions" method="post" action="${PATH}" data-new-passkey="${JSON.stringify(options)}" hidden>
${csrfField(token)}
<input type="hidden" name="do" value="add">
<input type="hidden" name="name" value="${name}">
<input type="hidden" name="answer">
<button class="primary">Make the passkey</button>
<a class="button quiet" href="${PATH}">Cancel</a>
<p class="wrong" role="status" hidden>No passkey was made. Try once more.</p>
</form>`;
}
