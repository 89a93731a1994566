import { type Account, accountById, accountWithEmail, hasAccounts } from "../accounts/accounts";
import { recordFailedSignIn } from "../accounts/audit-log";
import {
  accountWithPasskey,
  createPasskeyChallenge,
  passkeySite,
  requestOptions,
} from "../accounts/passkeys";
import { accountWithPassword } from "../accounts/passwords";
import { endSession } from "../accounts/sessions";
import { hasTwoFactor, takeSecondFactor } from "../accounts/two-factor";
import { MAX_LENGTHS } from "../config/request-limits";
import { MINUTE } from "../config/units";
import { formError, inputField } from "../http/form-field";
import type { Call } from "../http/requests/call";
import { requestBase } from "../http/requests/client-address";
import { throttle, throttleClient } from "../http/requests/rate-limits";
import { readForm } from "../http/requests/request-body";
import { type HttpResponse, localPath, seeOther, sendResponse } from "../http/responses/response";
import { assetRoute, unparsedRouter } from "../http/router";
import type { Platen } from "../platen";
import { signText, verifySignature } from "../secrets";
import { html } from "../text/html";
import { parseJson } from "../text/json";
import { parseWebUrl } from "../text/web-urls";
import { csrfField, requireSameOrigin, visitorToken } from "./csrf";
import { ownerErrorPage, ownerLayout, ownerPage, ownerStyles } from "./owner-page";
import { scriptTag } from "./scripts/script-routes";
import { describeOrigin, knownBrowser, readCookie, setCookie, signedIn, withSession } from "./session-cookie";
import { SIGN_IN_LIMITS } from "./sign-in-limits";

const HOME = "/admin";

const SIGN_OUT_FORM = { token: MAX_LENGTHS.token, next: MAX_LENGTHS.address };
const SIGN_IN_FORM = { ...SIGN_OUT_FORM, email: MAX_LENGTHS.email, password: MAX_LENGTHS.password };

/** A passkey response has about 1,500 characters. */
const PASSKEY_FORM = { ...SIGN_OUT_FORM, answer: 16_000 };
const SECOND_STEP_FORM = { ...SIGN_OUT_FORM, ticket: MAX_LENGTHS.token, code: MAX_LENGTHS.token };

export function signInPath(next: string): string {
  return `/auth/sign-in?${new URLSearchParams({ next })}`;
}

export const signInRoutes = (platen: Platen) =>
  unparsedRouter(platen, "sign-in", (refusal) => ownerErrorPage("Sign in", refusal))
    .use(assetRoute(platen, ownerStyles))
    .get("/auth/sign-in", async ({ call }) => {
      const next = localPath(call.url.searchParams.get("next")) ?? HOME;
      // Without accounts, the home page explains the setup.
      if (!hasAccounts(platen)) return sendResponse(call, seeOther("/"));
      // A signed-in user may sign in again instead of confirming the password.
      const isAgain = call.url.searchParams.has("again");
      const hasNewPassword = call.url.searchParams.has("new-password");
      return sendResponse(
        call,
        signedIn(call) && !isAgain ? seeOther(next) : await signInPage(call, { next, hasNewPassword }),
      );
    })
    .post("/auth/sign-in", async ({ call }) => sendResponse(call, await signIn(call)))
    .post("/auth/sign-in/passkey", async ({ call }) => sendResponse(call, await signInWithPasskey(call)))
    .get("/auth/sign-in/passkey", ({ call }) => sendResponse(call, seeOther(signInPath(HOME))))
    .get("/auth/sign-in/code", ({ call }) => sendResponse(call, seeOther(signInPath(HOME))))
    .post("/auth/sign-in/code", async ({ call }) => sendResponse(call, await signInWithCode(call)))
    .post("/auth/sign-out", async ({ call }) => sendResponse(call, await signOut(call)));

async function signIn(call: Call): Promise<HttpResponse> {
  const { platen, request } = call;
  const form = await readForm(request, SIGN_IN_FORM);
  requireSameOrigin(call, form, "visitor");
  const next = localPath(form.get("next")) ?? HOME;
  const email = (form.get("email") ?? "").trim();
  throttleSignIn(call, email);
  const account = await accountWithPassword(platen, email, form.get("password") ?? "");
  if (!account) {
    // Also runs for unknown e-mail addresses, so that the response takes equally long.
    recordFailedSignIn(platen, accountWithEmail(platen, email) ?? null, describeOrigin(call));
    const error = "Wrong e-mail or password.";
    return signInPage(call, { next, email, error }, 422);
  }
  if (account.disabledAt) return disabledResponse(call, next);
  if (hasTwoFactor(platen, account)) return secondStepPage(call, account, next);
  return withSession(call, account, seeOther(next));
}

/** A passkey replaces password and code, because the device has verified the user. */
async function signInWithPasskey(call: Call): Promise<HttpResponse> {
  const { platen, request } = call;
  const form = await readForm(request, PASSKEY_FORM);
  requireSameOrigin(call, form, "visitor");
  throttleClient(call, SIGN_IN_LIMITS.passkey);
  const next = localPath(form.get("next")) ?? HOME;
  const site = passkeySite(platen);
  const subject = passkeySubject(readCookie(call, "visitor") ?? "");
  const answer = parseJson(form.get("answer") ?? "");
  const account = site && (await accountWithPasskey(platen, { site, boundTo: subject, answer }));
  const error = "Unknown passkey, or the page was open too long. Try again.";
  if (!account) return signInPage(call, { next, error }, 422);
  if (account.disabledAt) return disabledResponse(call, next);
  return withSession(call, account, seeOther(next), "signed in with a passkey");
}

function passkeySubject(visitor: string): string {
  return `sign-in ${visitor}`;
}

function disabledResponse(call: Call, next: string): Promise<HttpResponse> {
  return signInPage(call, { next, error: "This account is disabled. Ask an admin of this server." }, 403);
}

async function signInWithCode(call: Call): Promise<HttpResponse> {
  const { platen, request } = call;
  const form = await readForm(request, SECOND_STEP_FORM);
  requireSameOrigin(call, form, "visitor");
  const next = localPath(form.get("next")) ?? HOME;
  const account = accountOfTicket(call, form.get("ticket") ?? "");
  if (!account) return signInPage(call, { next, error: "That took too long. Sign in again." }, 422);
  throttle(platen, SIGN_IN_LIMITS.secondStep, knownBrowser(call, account.email) ?? String(account.id));
  if (!takeSecondFactor(platen, account, form.get("code") ?? "")) {
    recordFailedSignIn(platen, account, `the code, ${describeOrigin(call)}`);
    return secondStepPage(call, account, next, "is wrong or was already used");
  }
  return withSession(call, account, seeOther(next));
}

function throttleSignIn(call: Call, email: string): void {
  const browser = knownBrowser(call, email);
  if (browser !== null) throttle(call.platen, SIGN_IN_LIMITS.knownBrowser, browser);
  else {
    throttleClient(call, SIGN_IN_LIMITS.client);
    throttle(call.platen, SIGN_IN_LIMITS.account, email.toLowerCase());
  }
}

async function signOut(call: Call): Promise<HttpResponse> {
  const { platen, request } = call;
  const form = await readForm(request, SIGN_OUT_FORM);
  requireSameOrigin(call, form, "session");
  const session = readCookie(call, "session");
  if (session) endSession(platen, session);
  const next = localPath(form.get("next"));
  return seeOther(signInPath(next ?? HOME), setCookie(call, "session", ""));
}

interface SignInForm {
  next: string;
  email?: string;
  error?: string;
  hasNewPassword?: boolean;
}

async function signInPage(call: Call, form: SignInForm, status = 200): Promise<HttpResponse> {
  const { next, email = "", error, hasNewPassword } = form;
  const { visitor, token, headers } = visitorToken(call);
  const passkey = await passkeyPart(call, visitor, token, next);
  const app = requestingApp(next);
  const page = ownerLayout({
    title: "Sign in",
    head: passkey.script,
    main: html`<h1>Sign in</h1>
${app && html`<p class="lead">Next, you decide what <strong>${app}</strong> may do.</p>`}
${hasNewPassword && html`<p class="lead" role="status">Your new password is saved. Sign in with it.</p>`}
${error && formError(error)}
<form method="post" action="/auth/sign-in">
${csrfField(token)}
<input type="hidden" name="next" value="${next}">
${inputField({ values: { email } }, "email", "E-mail", {
  more: html`type="email" required maxlength="254" autocomplete="username webauthn"${email === "" && html` autofocus`}`,
})}
${inputField({}, "password", "Password", {
  more: html`type="password" required maxlength="1000" autocomplete="current-password"${email !== "" && html` autofocus`}`,
})}
<button>Sign in</button>
</form>
${passkey.form}
<p><a href="/auth/forgot-password">Forgot your password?</a></p>`,
  });
  return ownerPage(page, { status, headers, hasScripts: passkey.script !== undefined });
}

/** Passkeys work on one origin. Other hosts link to the sign-in page there. */
async function passkeyPart(call: Call, visitor: string, token: string, next: string) {
  const site = passkeySite(call.platen);
  if (!site) return {};
  if (requestBase(call).origin !== site.origin)
    return {
      form: html`<p>Passkeys work at <a href="${site.origin}/auth/sign-in">${new URL(site.origin).host}</a>.</p>`,
    };
  const challenge = createPasskeyChallenge(call.platen, passkeySubject(visitor));
  const options = JSON.stringify(requestOptions(site, challenge));
  // Hidden until the script finds that the browser supports passkeys.
  const form = html`<form method="post" action="/auth/sign-in/passkey" data-passkey="${options}" hidden>
${csrfField(token)}
<input type="hidden" name="next" value="${next}">
<input type="hidden" name="answer">
<button class="other">Sign in with a passkey</button>
<p class="wrong" role="status" hidden>No passkey was used. Try again, or sign in with your password.</p>
</form>`;
  return { form, script: await scriptTag("passkeys") };
}

const PURPOSE = "second steps";
const TICKET_LIFETIME_MS = 10 * MINUTE;

/** Proves that the password was correct in this browser. */
function secondStepTicket(call: Call, account: Account, visitor: string): string {
  const expiresAt = call.platen.now().getTime() + TICKET_LIFETIME_MS;
  return `${account.id}.${expiresAt}.${signText(call.platen, PURPOSE, ticketClaim(account, expiresAt, visitor))}`;
}

/** null if the ticket is not valid. Another browser or a new password invalidates it. */
function accountOfTicket(call: Call, ticket: string): Account | null {
  const [accountId = "", expiresAt = "", signature = ""] = ticket.split(".");
  const account = accountById(call.platen, Number(accountId));
  const visitor = readCookie(call, "visitor");
  if (!account || account.disabledAt || !visitor || !(Number(expiresAt) > call.platen.now().getTime()))
    return null;
  const claim = ticketClaim(account, Number(expiresAt), visitor);
  return verifySignature(call.platen, PURPOSE, claim, signature) ? account : null;
}

function ticketClaim(account: Account, expiresAt: number, visitor: string): string {
  return `${account.id} ${expiresAt} ${visitor} ${account.passwordHash}`;
}

function requestingApp(next: string): string | null {
  const clientId = URL.parse(next, "http://here.invalid")?.searchParams.get("client_id");
  return parseWebUrl(clientId ?? "")?.host ?? null;
}

function secondStepPage(call: Call, account: Account, next: string, error?: string): HttpResponse {
  const { visitor, token, headers } = visitorToken(call);
  const page = ownerLayout({
    title: "Sign in",
    main: html`<h1>Two-factor code</h1>
<form method="post" action="/auth/sign-in/code">
${csrfField(token)}
<input type="hidden" name="next" value="${next}">
<input type="hidden" name="ticket" value="${secondStepTicket(call, account, visitor)}">
${inputField({ errors: error ? { code: [error] } : {} }, "code", "Code", {
  hint: "The six digits from your app, or a recovery code.",
  more: html`type="text" required maxlength="40" autocomplete="one-time-code" autocapitalize="none" spellcheck="false" autofocus`,
})}
<button>Sign in</button>
</form>
<details>
<summary>Lost your app and recovery codes?</summary>
<p>The owner of this server can turn off two-factor codes in a terminal on the server:</p>
<pre class="wrapped"><code>platen account two-factor --email you@example.com --off</code></pre>
</details>`,
  });
  return ownerPage(page, { status: error ? 422 : 200, headers });
}
