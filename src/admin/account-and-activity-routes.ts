import { type Account, changeAccount } from "../accounts/accounts";
import { revokeAppKeys, revokeOwnKeys } from "../accounts/app-tokens";
import { type ActRow, countAuditEvents, listAuditEvents } from "../accounts/audit-log";
import { passkeysOf } from "../accounts/passkeys";
import { hashPassword, setPassword } from "../accounts/passwords";
import { endOtherSessions, endSessionOf, type Session, sessionsOf } from "../accounts/sessions";
import { hasTwoFactor } from "../accounts/two-factor";
import { inTransaction } from "../database/transactions";
import { malformed } from "../errors";
import { inputField, selectField } from "../http/form-field";
import type { HttpResponse } from "../http/responses/response";
import { getRelay } from "../mail/relay-settings";
import {
  isReadersChoice,
  READERS_CHOICES,
  recordNotice,
  setNoticeChoices,
} from "../notices/notice-recording-and-choices";
import { passwordAgainField, requirePassword, requireRecentPassword } from "../owner/password-confirmation";
import { describeOrigin, knownBrowserCookie, readCookie } from "../owner/session-cookie";
import { hashSecret } from "../secrets";
import { capitalize } from "../text/clean-text";
import { type Html, html } from "../text/html";
import { counted } from "../text/numbers";
import { pageLinks, pageNumber, parentLink, postForm } from "./layout/page-controls";
import { type AdminPage, accountRoutes, withActions } from "./layout/routing";
import { redirectWithToast } from "./layout/toasts";
import { type AdminForm, formState, type Visit } from "./layout/visit";

const PAGE = "/admin/account";

export const ownAccountRoutes = accountRoutes({
  "GET /account": accountPage,
  "POST /account": withActions(
    {
      profile: saveProfile,
      password: changePassword,
      end: endChosenSession,
      "end others": signOutElsewhere,
      notices: saveNotices,
    },
    accountPage,
  ),
  "GET /account/log": (visit) => activityPage(visit, visit.account),
});

async function saveProfile(visit: Visit, form: AdminForm) {
  const { platen, account } = visit;
  const changes = { name: form.text("name"), email: form.text("email") };
  if (changes.email.trim() !== account.email) await requireRecentPassword(visit, form);
  inTransaction(platen, () => {
    const { email } = changeAccount(platen, account, changes);
    const details = { to: account.email, about: email };
    if (email !== account.email) recordNotice(platen, account, "changed the e-mail address", details);
  });
  return "Saved.";
}

/** Sends a new known-browser cookie, because the old one is only valid with the previous password. */
async function changePassword(visit: Visit, form: AdminForm): Promise<HttpResponse> {
  const { call, platen, account } = visit;
  await requirePassword(visit, form.get("current"));
  const passwordHash = await hashPassword(form.text("password"));
  const { apps, keys } = inTransaction(platen, () => {
    setPassword(platen, account, passwordHash, readCookie(call, "session") ?? undefined);
    return {
      apps: form.get("apps") === "end" ? revokeAppKeys(platen, account) : 0,
      keys: form.get("keys") === "end" ? revokeOwnKeys(platen, account) : 0,
    };
  });
  recordNotice(platen, account, "changed the password", { about: describeOrigin(call) });
  const revoked = [apps > 0 && counted(apps, "app"), keys > 0 && counted(keys, "API key")].filter(Boolean);
  const message = `Password changed. All other sessions ended.${revoked.length > 0 ? ` Revoked: ${revoked.join(" and ")}.` : ""}`;
  const response = redirectWithToast(call, PAGE, message);
  response.headers.append("set-cookie", knownBrowserCookie(call, { ...account, passwordHash })["set-cookie"]);
  return response;
}

function saveNotices({ platen, account }: Visit, form: AdminForm) {
  const readers = form.get("readers") ?? "now";
  if (!isReadersChoice(readers)) throw malformed("Choose how often you want mail.");
  setNoticeChoices(platen, account, {
    ...(readers !== "now" && { readers }),
    ...(form.get("signIns") !== "on" && { signIns: "off" }),
    ...(form.get("problems") !== "on" && { problems: "off" }),
  });
  return "Saved.";
}

function endChosenSession({ platen, account }: Visit, form: AdminForm) {
  const isEnded = endSessionOf(platen, account, form.text("session"));
  return isEnded ? "Session ended." : "The session had already ended.";
}

function signOutElsewhere({ call, platen, account }: Visit) {
  const ended = endOtherSessions(platen, account, readCookie(call, "session") ?? "");
  return ended === 0 ? "There are no other sessions." : `${counted(ended, "other session")} ended.`;
}

function accountPage(visit: Visit): AdminPage {
  const main = html`<div class="page-head"><h1>Your account</h1>
<div class="ways"><a class="button quiet" href="/admin/account/log">Activity</a></div></div>
${profileForm(visit)}
${passwordForm(visit)}
${noticesForm(visit)}
${signInMethods(visit)}
${sessionList(visit)}`;
  return { title: "Your account", place: "account", main };
}

function profileForm(visit: Visit): Html {
  const { name, email } = visit.account;
  const form = formState(visit, { name, email });
  return html`${postForm(visit, "stack", PAGE, { do: "profile" })}
${inputField(form, "name", "Name", {
  hint: "Shown next to your posts.",
  more: html`type="text" maxlength="200" autocomplete="name"`,
})}
${inputField(form, "email", "E-mail", {
  hint: "You sign in with this address. Apps see the address only if you allow it.",
  more: html`type="email" required maxlength="254" autocomplete="username"`,
})}
${passwordAgainField(visit, "to change your e-mail address")}
<div class="actions"><button class="primary">Save</button></div>
</form>`;
}

function passwordForm(visit: Visit): Html {
  const errors = visit.rejected?.errors;
  return html`<section><h2>Password</h2>
${postForm(visit, "stack", PAGE, { do: "password" })}
${hiddenUsernameField(visit)}
${currentPasswordField(visit)}
${inputField({ errors }, "password", "New password", {
  hint: "At least 10 characters. A sentence works well. A new password signs you out in all other browsers.",
  more: html`type="password" required minlength="10" maxlength="1000" autocomplete="new-password"`,
})}
<label class="tick"><input type="checkbox" name="apps" value="end"> Also sign out connected apps</label>
<label class="tick"><input type="checkbox" name="keys" value="end"> Also revoke all API keys</label>
<div class="actions"><button class="quiet">Change password</button></div>
</form></section>`;
}

function noticesForm(visit: Visit): Html | null {
  const { platen, account } = visit;
  if (!getRelay(platen)) return null;
  const { readers = "now", signIns, problems } = account.notices;
  return html`<section id="notices"><h2>E-mails to you</h2>
${postForm(visit, "stack", PAGE, { do: "notices" })}
${selectField({ values: { readers } }, "readers", "New komments and messages", READERS_CHOICES)}
<label class="tick"><input type="checkbox" name="signIns" value="on"${signIns !== "off" && html` checked`}> Sign-ins from new browsers</label>
<label class="tick"><input type="checkbox" name="problems" value="on"${problems !== "off" && html` checked`}> ${account.isAdmin ? "Webhooks turned off, failed backups and a full disk" : "Webhooks turned off"}</label>
<p class="hint">When your e-mail address or password changes, you always get an e-mail.</p>
<div class="actions"><button class="quiet">Save</button></div>
</form></section>`;
}

function signInMethods({ platen, account }: Visit): Html {
  const isOn = hasTwoFactor(platen, account);
  const keys = passkeysOf(platen, account).length;
  return html`<section><h2>Signing in</h2>
<ul class="rows">
<li><div class="what"><a class="name" href="/admin/account/codes">Two-factor codes</a>
<p class="about">${isOn ? html`<span class="state live">On</span>` : html`<span class="state">Off</span>`}<span>a six-digit code after your password</span></p></div></li>
<li><div class="what"><a class="name" href="/admin/account/passkeys">Passkeys</a>
<p class="about">${keys > 0 ? html`<span class="state live">${counted(keys, "passkey")}</span>` : html`<span class="state">None</span>`}<span>sign in without a password or code</span></p></div></li>
</ul></section>`;
}

/** Tells password managers which account the form belongs to. */
export function hiddenUsernameField({ account }: Visit): Html {
  return html`<input type="email" autocomplete="username" value="${account.email}" hidden>`;
}

function sessionList(visit: Visit): Html {
  const { call, platen, account } = visit;
  const own = hashSecret(readCookie(call, "session") ?? "");
  const rows = sessionsOf(platen, account);
  return html`<section><h2>Where you are signed in</h2>
<ul class="rows">
${rows.map((row) => sessionRow(visit, row, row.hash === own))}
</ul>
${
  rows.length > 1 &&
  html`${postForm(visit, "actions", PAGE, { do: "end others" })}
<button class="quiet">Sign out everywhere else</button></form>`
}
</section>`;
}

function sessionRow(visit: Visit, row: Session, isOwn: boolean): Html {
  const { times } = visit;
  const { device, place, createdAt, lastSeenAt, hash } = row;
  const name = device || "Unknown browser";
  return html`<li><div class="what"><strong class="name">${name}</strong>
<p class="about">${isOwn && html`<span class="state live">This browser</span>`}${place && html`<span>from ${place}</span>`}<span>signed in ${times.near(createdAt)}</span>${lastSeenAt && !isOwn && html`<span>last seen ${times.near(lastSeenAt)}</span>`}</p></div>
${
  !isOwn &&
  html`${postForm(visit, "", PAGE, { do: "end", session: hash })}<button class="quiet">End<span class="spoken"> ${name}</span></button></form>`
}</li>`;
}

export function currentPasswordField({ rejected }: Visit): Html {
  return inputField({ errors: rejected?.errors }, "current", "Current password", {
    more: html`type="password" required maxlength="1000" autocomplete="current-password"`,
  });
}

const ENTRIES_PER_PAGE = 50;

/** Of all accounts if `account` is null. */
export function activityPage(visit: Visit, account: Account | null): AdminPage {
  const { platen, url } = visit.call;
  const page = pageNumber(url.searchParams);
  const total = countAuditEvents(platen, account);
  const main = html`${account ? parentLink("/admin/account", "Your account") : parentLink("/admin/people", "People")}
<div class="page-head"><h1>Activity</h1></div>
<p class="lead">${account ? "Your actions, and changes that others made to your account," : "Actions of all people in the admin and on the command line"} in the last year, up to 10,000 entries.</p>
<ul class="rows">
${listAuditEvents(platen, account, page, ENTRIES_PER_PAGE).map((row) => actRow(visit, row))}
</ul>
${pageLinks(visit.call, total, ENTRIES_PER_PAGE)}`;
  return { title: "Activity", place: account ? "account" : "people", main };
}

function actRow({ times }: Visit, { act, about, by, times: count, createdAt }: ActRow): Html {
  return html`<li><div class="what"><strong class="name">${capitalize(act)}${count > 1 && ` ${count} times`}</strong>
<p class="about"><span>by ${by}</span>${about && html`<span><bdi>${about}</bdi></span>`}</p></div>
<p class="facts"><span>${times.near(createdAt)}</span></p></li>
`;
}
