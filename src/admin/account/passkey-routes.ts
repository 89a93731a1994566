import {
  addPasskey,
  createPasskeyChallenge,
  creationOptions,
  MAX_PASSKEY_NAME_LENGTH,
  type Passkey,
  type PasskeySite,
  passkeySite,
  passkeysOf,
  removePasskey,
} from "../../accounts/passkeys";
import { forbidden, malformed } from "../../errors";
import { type FormState, formError, inputField } from "../../http/forms/form-field";
import { requestBase } from "../../http/requests/client-address";
import type { HttpResponse } from "../../http/responses/response";
import { csrfField } from "../../owner/csrf";
import { requirePassword } from "../../owner/password-confirmation";
import { readCookie, sessionOrigin } from "../../owner/session-cookie";
import type { Platen } from "../../platen";
import { type Html, html } from "../../text/html";
import { parseJson } from "../../text/json";
import { adminResponse, adminRouter, onAccount } from "../layout/admin-responses";
import { parentLink } from "../layout/page-controls";
import { redirectWithToast } from "../layout/toasts";
import { type AdminForm, idIn, type Visit, withForm } from "../layout/visit";
import { currentPasswordField, hiddenUsernameField } from "./account-routes";

const PAGE = "/admin/account/passkeys";

export const passkeyRoutes = (platen: Platen) =>
  adminRouter(platen, "passkeys")
    .get(
      PAGE,
      onAccount((visitor) => pageResponse(visitor, passkeysMain(visitor))),
    )
    .post(PAGE, onAccount(withForm(changePasskeys)));

function pageResponse(visitor: Visit, main: Html, isRejected?: boolean): Promise<HttpResponse> {
  const page = { title: "Passkeys", place: "account" } as const;
  return adminResponse(visitor, { ...page, scripts: ["passkeys"], main, isRejected });
}

async function changePasskeys(visitor: Visit, form: AdminForm): Promise<HttpResponse> {
  const { call, account } = visitor;
  if (form.get("do") === "remove") {
    const message = removePasskey(call.platen, account, idIn(form.get("id")))
      ? "Passkey removed."
      : "The passkey was already removed.";
    return redirectWithToast(call, PAGE, message);
  }
  const site = passkeySite(call.platen);
  if (!site) throw forbidden("Passkeys need PLATEN_URL to be an https address with a host name.");
  try {
    if (form.get("do") === "begin") return await askForNewPasskey(visitor, form, site);
    if (form.get("do") === "add") return await addNewPasskey(visitor, form, site);
  } catch (error) {
    return pageResponse(visitor, passkeysMain(visitor, form.rejected(error, "name")), true);
  }
  throw malformed("Choose an action.");
}

/** Requires the password, so that a stolen session cannot add a passkey. */
async function askForNewPasskey(visitor: Visit, form: AdminForm, site: PasskeySite): Promise<HttpResponse> {
  const { call, account } = visitor;
  await requirePassword(call, account, form.get("current"));
  const challenge = createPasskeyChallenge(call.platen, challengeSubject(visitor));
  const known = passkeysOf(call.platen, account);
  const options = creationOptions(call.platen, account, { site, challenge, known });
  return pageResponse(visitor, newPasskeyMain(visitor, form.text("name"), options));
}

async function addNewPasskey(visitor: Visit, form: AdminForm, site: PasskeySite): Promise<HttpResponse> {
  const { call, account } = visitor;
  await addPasskey(call.platen, account, {
    site,
    boundTo: challengeSubject(visitor),
    name: form.text("name"),
    answer: parseJson(form.text("answer")),
  });
  return redirectWithToast(call, PAGE, "Passkey added. You can now sign in with it.");
}

function challengeSubject({ call, account }: Visit): string {
  return `new of ${account.id} ${readCookie(call, "session")}`;
}

const HEAD = html`${parentLink("/admin/account", "Your account")}
<div class="page-head"><h1>Passkeys</h1></div>`;

function passkeysMain(visitor: Visit, rejected?: FormState): Html {
  const rows = passkeysOf(visitor.call.platen, visitor.account);
  return html`${HEAD}
<p class="lead">A passkey signs you in with your fingerprint, face or PIN on your phone, computer or security key, without a password or code. A passkey works only at this address, so it can't be phished.</p>
${rejected?.errors?.passkey && formError("The passkey was not accepted. Try again.")}
${rows.length > 0 && html`<ul class="rows">${rows.map((row) => passkeyRow(visitor, row))}</ul>`}
${addPasskeySection(visitor, rejected)}`;
}

function passkeyRow({ times, token }: Visit, { id, name, createdAt, lastUsedAt }: Passkey): Html {
  return html`<li><div class="what"><strong class="name"><bdi>${name}</bdi></strong>
<p class="about"><span>added ${times.near(createdAt)}</span><span>${lastUsedAt ? html`used ${times.near(lastUsedAt)}` : "never used"}</span></p></div>
<form method="post" action="${PAGE}">${csrfField(token)}<input type="hidden" name="do" value="remove"><input type="hidden" name="id" value="${id}"><button class="quiet">Remove<span class="spoken"> ${name}</span></button></form></li>`;
}

function addPasskeySection({ call, account, token }: Visit, rejected?: FormState): Html {
  const site = passkeySite(call.platen);
  if (!site)
    return html`<p>Passkeys need an https address with a host name. This server's address is <strong>${call.platen.config.url}</strong>; the server’s owner can change it with <code>PLATEN_URL</code>.</p>`;
  if (requestBase(call).origin !== site.origin)
    return html`<p>Create and use passkeys at <a href="${site.origin}${PAGE}">${site.host}</a>.</p>`;
  const form = rejected ?? { values: { name: sessionOrigin(call).device } };
  return html`<section><h2>Add a passkey</h2>
<form class="stack" method="post" action="${PAGE}">
${csrfField(token)}
<input type="hidden" name="do" value="begin">
${hiddenUsernameField(account)}
${inputField(form, "name", "Name", {
  hint: "Helps you recognize the passkey later.",
  more: html`type="text" maxlength="${MAX_PASSKEY_NAME_LENGTH}" autocomplete="off"`,
})}
${currentPasswordField(rejected?.errors)}
<div class="actions"><button class="primary">Continue</button></div>
</form></section>`;
}

function newPasskeyMain({ token }: Visit, name: string, options: object): Html {
  return html`${HEAD}
<p class="lead">Your browser now asks where to save the passkey, and for your fingerprint, face or PIN.</p>
<noscript><p>Passkeys need JavaScript, which is turned off in this browser.</p></noscript>
<form class="actions" method="post" action="${PAGE}" data-new-passkey="${JSON.stringify(options)}" hidden>
${csrfField(token)}
<input type="hidden" name="do" value="add">
<input type="hidden" name="name" value="${name}">
<input type="hidden" name="answer">
<button class="primary">Create passkey</button>
<a class="button quiet" href="${PAGE}">Cancel</a>
<p class="wrong" role="status" hidden>No passkey was created. Try again.</p>
</form>`;
}
