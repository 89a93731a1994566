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
import { forbidden } from "../../errors";
import { formError, inputField } from "../../http/forms/form-field";
import { requestBase } from "../../http/requests/client-address";
import { csrfField } from "../../owner/csrf";
import { requirePassword } from "../../owner/password-confirmation";
import { readCookie, sessionOrigin } from "../../owner/session-cookie";
import { type Html, html } from "../../text/html";
import { parseJson } from "../../text/json";
import { type AdminPage, accountRoutes, withActions } from "../layout/admin-routes";
import { parentLink, postForm } from "../layout/page-controls";
import { type AdminForm, idIn, type Visit } from "../layout/visit";
import { currentPasswordField, hiddenUsernameField } from "./account-routes";

const PAGE = "/admin/account/passkeys";

export const passkeyRoutes = accountRoutes({
  "GET /account/passkeys": passkeysPage,
  "POST /account/passkeys": withActions(
    { remove: removeChosenPasskey, begin: askForNewPasskey, add: addNewPasskey },
    passkeysPage,
  ),
});

const PASSKEY_PAGE = { title: "Passkeys", place: "account", scripts: ["passkeys"] } as const;

function removeChosenPasskey({ platen, account }: Visit, form: AdminForm) {
  const isRemoved = removePasskey(platen, account, idIn(form.get("id")));
  return { location: PAGE, toast: isRemoved ? "Passkey removed." : "The passkey was already removed." };
}

function requirePasskeySite({ platen }: Visit): PasskeySite {
  const site = passkeySite(platen);
  if (!site) throw forbidden("Passkeys need PLATEN_URL to be an https address with a host name.");
  return site;
}

/** Requires the password, so that a stolen session cannot add a passkey. */
async function askForNewPasskey(visit: Visit, form: AdminForm): Promise<AdminPage> {
  const { platen, account } = visit;
  const site = requirePasskeySite(visit);
  await requirePassword(visit, form.get("current"));
  const challenge = createPasskeyChallenge(platen, challengeSubject(visit));
  const known = passkeysOf(platen, account);
  const options = creationOptions(platen, account, { site, challenge, known });
  return { ...PASSKEY_PAGE, main: newPasskeyMain(visit, form.text("name"), options) };
}

async function addNewPasskey(visit: Visit, form: AdminForm) {
  const { platen, account } = visit;
  await addPasskey(platen, account, {
    site: requirePasskeySite(visit),
    boundTo: challengeSubject(visit),
    name: form.text("name"),
    answer: parseJson(form.text("answer")),
  });
  return { location: PAGE, toast: "Passkey added. You can now sign in with it." };
}

function challengeSubject({ call, account }: Visit): string {
  return `new of ${account.id} ${readCookie(call, "session")}`;
}

const HEAD = html`${parentLink("/admin/account", "Your account")}
<div class="page-head"><h1>Passkeys</h1></div>`;

function passkeysPage(visit: Visit): AdminPage {
  const rows = passkeysOf(visit.platen, visit.account);
  const main = html`${HEAD}
<p class="lead">A passkey signs you in with your fingerprint, face or PIN on your phone, computer or security key, without a password or code. A passkey works only at this address, so it can't be phished.</p>
${visit.rejected?.errors.passkey && formError("The passkey was not accepted. Try again.")}
${rows.length > 0 && html`<ul class="rows">${rows.map((row) => passkeyRow(visit, row))}</ul>`}
${addPasskeySection(visit)}`;
  return { ...PASSKEY_PAGE, main };
}

function passkeyRow(visit: Visit, { id, name, createdAt, lastUsedAt }: Passkey): Html {
  const { times } = visit;
  return html`<li><div class="what"><strong class="name"><bdi>${name}</bdi></strong>
<p class="about"><span>added ${times.near(createdAt)}</span><span>${lastUsedAt ? html`used ${times.near(lastUsedAt)}` : "never used"}</span></p></div>
${postForm(visit, "", PAGE, { do: "remove", id })}<button class="quiet">Remove<span class="spoken"> ${name}</span></button></form></li>`;
}

function addPasskeySection(visit: Visit): Html {
  const { call, platen, rejected } = visit;
  const site = passkeySite(platen);
  if (!site)
    return html`<p>Passkeys need an https address with a host name. This server's address is <strong>${platen.config.url}</strong>; the server’s owner can change it with <code>PLATEN_URL</code>.</p>`;
  if (requestBase(call).origin !== site.origin)
    return html`<p>Create and use passkeys at <a href="${site.origin}${PAGE}">${site.host}</a>.</p>`;
  const form = rejected ?? { values: { name: sessionOrigin(call).device } };
  return html`<section><h2>Add a passkey</h2>
${postForm(visit, "stack", PAGE, { do: "begin" })}
${hiddenUsernameField(visit)}
${inputField(form, "name", "Name", {
  hint: "Helps you recognize the passkey later.",
  more: html`type="text" maxlength="${MAX_PASSKEY_NAME_LENGTH}" autocomplete="off"`,
})}
${currentPasswordField(visit)}
<div class="actions"><button class="primary">Continue</button></div>
</form></section>`;
}

function newPasskeyMain({ token }: Visit, name: string, options: object): Html {
  return html`${HEAD}
<p class="lead">Your browser now asks where to save the passkey. Confirm with your fingerprint, face or PIN.</p>
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
