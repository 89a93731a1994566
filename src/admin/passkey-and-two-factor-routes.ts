import type { Account } from "../accounts/accounts";
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
} from "../accounts/passkeys";
import {
  beginTwoFactor,
  confirmTwoFactor,
  pendingSecret,
  recoveryCodesLeft,
  renewRecoveryCodes,
  turnOffTwoFactor,
  twoFactorSince,
} from "../accounts/two-factor";
import { forbidden } from "../errors";
import { formError, inputField } from "../http/form-field";
import { requestBase } from "../http/requests/client-address";
import { throttle } from "../http/requests/rate-limits";
import { requirePassword } from "../owner/password-confirmation";
import { readCookie, sessionOrigin } from "../owner/session-cookie";
import { SIGN_IN_LIMITS } from "../owner/sign-in-limits";
import { type Html, html } from "../text/html";
import { parseJson } from "../text/json";
import { counted } from "../text/numbers";
import { qrCode } from "../text/qr-code";
import { currentPasswordField, hiddenUsernameField } from "./account-and-activity-routes";
import { copyField, parentLink, postForm } from "./layout/page-controls";
import { type AdminPage, accountRoutes, withActions } from "./layout/routing";
import { type AdminForm, idIn, type Visit } from "./layout/visit";

const PASSKEYS = "/admin/account/passkeys";

export const passkeyRoutes = accountRoutes({
  "GET /account/passkeys": passkeysPage,
  "POST /account/passkeys": withActions(
    {
      remove: ({ platen, account }, form) =>
        removePasskey(platen, account, idIn(form.get("id")))
          ? "Passkey removed."
          : "The passkey was already removed.",
      begin: askForNewPasskey,
      add: async (visit, form) => {
        await addPasskey(visit.platen, visit.account, {
          site: requirePasskeySite(visit),
          boundTo: challengeSubject(visit),
          name: form.text("name"),
          answer: parseJson(form.text("answer")),
        });
        return "Passkey added. You can now sign in with it.";
      },
    },
    passkeysPage,
  ),
});

const PASSKEY_PAGE = { title: "Passkeys", place: "account", scripts: ["passkeys"] } as const;

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
  const fields = { do: "add", name: form.text("name"), answer: "" };
  const main = html`${PASSKEYS_HEAD}
<p class="lead">Your browser now asks where to save the passkey. Confirm with your fingerprint, face or PIN.</p>
<noscript><p>Passkeys need JavaScript, which is turned off in this browser.</p></noscript>
${postForm(visit, "actions", PASSKEYS, fields, html`data-new-passkey="${JSON.stringify(options)}" hidden`)}
<button class="primary">Create passkey</button>
<a class="button quiet" href="${PASSKEYS}">Cancel</a>
<p class="wrong" role="status" hidden>No passkey was created. Try again.</p>
</form>`;
  return { ...PASSKEY_PAGE, main };
}

function challengeSubject({ call, account }: Visit): string {
  return `new of ${account.id} ${readCookie(call, "session")}`;
}

const PASSKEYS_HEAD = pageHead("Passkeys");

function passkeysPage(visit: Visit): AdminPage {
  const rows = passkeysOf(visit.platen, visit.account);
  const main = html`${PASSKEYS_HEAD}
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
${postForm(visit, "", PASSKEYS, { do: "remove", id })}<button class="quiet">Remove<span class="spoken"> ${name}</span></button></form></li>`;
}

function addPasskeySection(visit: Visit): Html {
  const { call, platen, rejected } = visit;
  const site = passkeySite(platen);
  if (!site)
    return html`<p>Passkeys need an https address with a host name. This server's address is <strong>${platen.config.url}</strong>; the server’s owner can change it with <code>PLATEN_URL</code>.</p>`;
  if (requestBase(call).origin !== site.origin)
    return html`<p>Create and use passkeys at <a href="${site.origin}${PASSKEYS}">${site.host}</a>.</p>`;
  const form = rejected ?? { values: { name: sessionOrigin(call).device } };
  return html`<section><h2>Add a passkey</h2>
${postForm(visit, "stack", PASSKEYS, { do: "begin" })}
${hiddenUsernameField(visit)}
${inputField(form, "name", "Name", {
  hint: "Helps you recognize the passkey later.",
  more: html`type="text" maxlength="${MAX_PASSKEY_NAME_LENGTH}" autocomplete="off"`,
})}
${currentPasswordField(visit)}
<div class="actions"><button class="primary">Continue</button></div>
</form></section>`;
}

const CODES = "/admin/account/codes";

export const twoFactorRoutes = accountRoutes({
  "GET /account/codes": twoFactorPage,
  "POST /account/codes": withActions(
    {
      begin: async (visit, form) => {
        await requirePassword(visit, form.get("current"));
        beginTwoFactor(visit.platen, visit.account);
        return { location: CODES };
      },
      confirm: ({ platen, account }, form) => {
        throttle(platen, SIGN_IN_LIMITS.confirmation, `code ${account.id}`);
        return codesPage(confirmTwoFactor(platen, account, form.text("code")));
      },
      // Only an unconfirmed setup, because turning two-factor authentication off requires the password.
      cancel: ({ platen, account }) => {
        if (pendingSecret(platen, account) !== null) turnOffTwoFactor(platen, account);
        return { location: CODES };
      },
      renew: async (visit, form) => {
        const { platen, account } = visit;
        await requirePassword(visit, form.get("current"));
        if (!twoFactorSince(platen, account))
          throw forbidden("Two-factor authentication is off, so there are no recovery codes to replace.");
        return codesPage(renewRecoveryCodes(platen, account));
      },
      off: async (visit, form) => {
        await requirePassword(visit, form.get("current"));
        turnOffTwoFactor(visit.platen, visit.account);
        return "Two-factor authentication is off.";
      },
    },
    twoFactorPage,
  ),
});

function twoFactorPage(visit: Visit): AdminPage {
  const secret = pendingSecret(visit.platen, visit.account);
  const main = secret === null ? twoFactorMain(visit) : setUpMain(visit, secret);
  return { title: "Two-factor codes", place: "account", main };
}

const CODES_HEAD = pageHead("Two-factor codes");

function twoFactorMain(visit: Visit): Html {
  const { platen, account, times } = visit;
  const since = twoFactorSince(platen, account);
  if (!since)
    return html`${CODES_HEAD}
<p class="lead">With two-factor codes, signing in asks for your password and for six digits from an app on your phone. Someone who knows only your password can't sign in. Any authenticator app works.</p>
${passwordForm(visit, html`<button class="primary" name="do" value="begin">Set up</button>`)}`;
  const remaining = recoveryCodesLeft(platen, account);
  return html`${CODES_HEAD}
<p class="lead"><span class="state live">On</span> since ${times.near(since)}. ${remaining === 0 ? "No recovery codes left: create new ones." : `${counted(remaining, "recovery code")} left.`}</p>
<p>Each recovery code signs you in once when you can't use the app. New codes replace the old ones.</p>
${passwordForm(
  visit,
  html`<button class="primary" name="do" value="renew">New recovery codes</button>
<button class="danger" name="do" value="off">Turn off</button>`,
)}`;
}

function passwordForm(visit: Visit, buttons: Html): Html {
  return html`${postForm(visit, "stack", CODES)}
${hiddenUsernameField(visit)}
${currentPasswordField(visit)}
<div class="actions">${buttons}</div>
</form>`;
}

function setUpMain(visit: Visit, secret: string): Html {
  const { platen, account, rejected } = visit;
  const address = codeAddress(account, new URL(platen.config.url).host, secret);
  return html`${CODES_HEAD}
<p class="lead">Scan this QR code with your authenticator app, <a href="${address}">open it in an app on this device</a>, or type in the key. Then enter the six digits that the app shows.</p>
<div class="set-up">${qrCode(address, "Two-factor key of this account, for an authenticator app")}
${postForm(visit, "stack", CODES)}
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

function pageHead(title: string): Html {
  return html`${parentLink("/admin/account", "Your account")}
<div class="page-head"><h1>${title}</h1></div>`;
}
