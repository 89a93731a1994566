import { accountOfReset, hashPassword, resetPassword } from "../accounts/passwords";
import { MAX_LENGTHS } from "../config/request-limits";
import { inTransaction } from "../database/transactions";
import { type FieldErrors, fieldErrorsOf } from "../errors";
import { inputField } from "../http/form-field";
import type { Call } from "../http/requests/call";
import { throttle, throttleClient } from "../http/requests/rate-limits";
import { readForm } from "../http/requests/request-body";
import { ERROR_STATUS } from "../http/responses/error-responses";
import { type HttpResponse, seeOther, sendResponse } from "../http/responses/response";
import { unparsedRouter } from "../http/router";
import { getRelay } from "../mail/relay-settings";
import { recordNotice, requestPasswordReset } from "../notices/notice-recording-and-choices";
import type { Platen } from "../platen";
import { type Html, html } from "../text/html";
import { csrfField, requireSameOrigin, visitorToken } from "./csrf";
import { ownerErrorPage, ownerLayout, ownerPage } from "./owner-page";
import { describeOrigin } from "./session-cookie";
import { SIGN_IN_LIMITS } from "./sign-in-limits";

const FORGOT_FORM = { token: MAX_LENGTHS.token, email: MAX_LENGTHS.email };
const PASSWORD_FORM = { token: MAX_LENGTHS.token, password: MAX_LENGTHS.password };

export const newPasswordRoutes = (platen: Platen) =>
  unparsedRouter(platen, "new-password", (refusal) => ownerErrorPage("New password", refusal))
    .get("/auth/forgot-password", ({ call }) => sendResponse(call, forgotPasswordPage(call)))
    .post("/auth/forgot-password", async ({ call }) => sendResponse(call, await forgotPassword(call)))
    .get("/auth/new-password/:link", ({ call, params }) => {
      throttleClient(call, SIGN_IN_LIMITS.resetLinks);
      const { email } = accountOfReset(call.platen, params.link);
      return sendResponse(call, newPasswordPage(call, email));
    })
    .post("/auth/new-password/:link", async ({ call, params }) =>
      sendResponse(call, await setNewPassword(call, params.link)),
    );

/**
 * Known and unknown addresses get the same response in the same time, so that nobody learns who has an
 * account.
 */
async function forgotPassword(call: Call): Promise<HttpResponse> {
  const { platen } = call;
  const form = await readForm(call.request, FORGOT_FORM);
  requireSameOrigin(call, form, "visitor");
  const email = (form.get("email") ?? "").trim();
  throttleClient(call, SIGN_IN_LIMITS.resetMailsPerClient);
  throttle(platen, SIGN_IN_LIMITS.resetMailsPerAddress, `reset ${email.toLowerCase()}`);
  if (getRelay(platen)) inTransaction(platen, () => requestPasswordReset(platen, email));
  return forgotPasswordPage(call, true);
}

async function setNewPassword(call: Call, link: string): Promise<HttpResponse> {
  const { platen } = call;
  const form = await readForm(call.request, PASSWORD_FORM);
  requireSameOrigin(call, form, "visitor");
  throttleClient(call, SIGN_IN_LIMITS.resetLinks);
  const { email } = accountOfReset(platen, link);
  try {
    const account = resetPassword(platen, link, await hashPassword(form.get("password") ?? ""));
    recordNotice(platen, account, "changed the password", { about: describeOrigin(call) });
    return seeOther("/auth/sign-in?new-password");
  } catch (error) {
    return newPasswordPage(call, email, fieldErrorsOf(error));
  }
}

function forgotPasswordPage(call: Call, isSent = false): HttpResponse {
  const { token, headers } = visitorToken(call);
  const form = isSent ? sentNotice : addressForm(token);
  const page = ownerLayout({
    title: "Forgot your password?",
    main: html`<h1>Forgot your password?</h1>
${getRelay(call.platen) ? form : commandHint}
<p><a href="/auth/sign-in">Back to sign-in</a></p>`,
  });
  return ownerPage(page, { headers });
}

const sentNotice = html`<p class="lead" role="status">If an account has this address, an e-mail with a link is on its way. The link works once and expires after 30 minutes.</p>
<p>No mail after a few minutes? Look in your spam folder.</p>`;

const commandHint = html`<p>This server sends no mail. Its owner can set a new password in a terminal on the server. Run this, type the password, then press Enter and Ctrl+D.</p>
<pre class="wrapped"><code>platen account password --email you@example.com --password-stdin</code></pre>`;

function addressForm(token: string): Html {
  return html`<p class="lead">Enter the e-mail address that you sign in with. You get a link to set a new password.</p>
<form method="post" action="/auth/forgot-password">
${csrfField(token)}
${inputField({}, "email", "E-mail", { more: html`type="email" required maxlength="254" autocomplete="username" autofocus` })}
<button>Send the link</button>
</form>`;
}

function newPasswordPage(call: Call, email: string, errors?: FieldErrors): HttpResponse {
  const { token, headers } = visitorToken(call);
  const page = ownerLayout({
    title: "New password",
    main: html`<h1>New password</h1>
<p class="lead">For ${email}. Saving signs you out in all browsers.</p>
<form method="post">
${csrfField(token)}
<input type="email" autocomplete="username" value="${email}" hidden>
${inputField({ errors }, "password", "New password", {
  hint: "At least 10 characters. A sentence works well.",
  more: html`type="password" required minlength="10" maxlength="1000" autocomplete="new-password" autofocus`,
})}
<button>Set the password</button>
</form>`,
  });
  return ownerPage(page, { headers, status: errors && ERROR_STATUS.invalid });
}
