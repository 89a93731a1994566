import { accountOfReset, resetPassword } from "../accounts/password-resets";
import { hashPassword } from "../accounts/passwords";
import { MAX_LENGTHS } from "../config/request-limits";
import { inTransaction } from "../database/transactions";
import { type FieldErrors, fieldErrorsOf } from "../errors";
import { inputField } from "../http/forms/form-field";
import type { Call } from "../http/requests/call";
import { throttle, throttleClient } from "../http/requests/rate-limits";
import { readForm } from "../http/requests/request-body";
import { type HttpResponse, seeOther, sendResponse } from "../http/responses/response";
import { unparsedRouter } from "../http/routing/router";
import { getRelay } from "../mail/relay-settings";
import { recordNotice, requestPasswordReset } from "../notices/recording-notices";
import type { Platen } from "../platen";
import { newSecret } from "../secrets";
import { type Html, html } from "../text/html";
import { csrfField, csrfToken, requireSameOrigin } from "./csrf";
import { ownerErrorPage, ownerLayout, ownerPage } from "./owner-page";
import { describeOrigin, readCookie, setCookie } from "./session-cookie";
import { SIGN_IN_LIMITS } from "./sign-in-limits";

const FORGOT_FORM = { token: MAX_LENGTHS.token, email: MAX_LENGTHS.email };
const PASSWORD_FORM = { token: MAX_LENGTHS.token, password: MAX_LENGTHS.password };

export const newPasswordRoutes = (platen: Platen) =>
  unparsedRouter(platen, "new-password", (refusal) => ownerErrorPage("New password", refusal))
    .get("/auth/forgot-password", ({ call }) =>
      sendResponse(
        call,
        formResponse(call, (token) => forgotPasswordPage({ token, hasRelay: hasRelay(call) })),
      ),
    )
    .post("/auth/forgot-password", async ({ call }) => sendResponse(call, await forgotPassword(call)))
    .get("/auth/new-password/:link", ({ call, params }) => {
      throttleClient(call, SIGN_IN_LIMITS.resetLinks);
      const { email } = accountOfReset(call.platen, params.link);
      return sendResponse(
        call,
        formResponse(call, (token) => newPasswordPage({ token, email })),
      );
    })
    .post("/auth/new-password/:link", async ({ call, params }) =>
      sendResponse(call, await setNewPassword(call, params.link)),
    );

const hasRelay = ({ platen }: Call) => getRelay(platen) !== null;

function formResponse(call: Call, page: (token: string) => ReturnType<typeof newPasswordPage>, status = 200) {
  const visitor = readCookie(call, "visitor") ?? newSecret();
  return ownerPage(page(csrfToken(call.platen, visitor)), {
    status,
    headers: setCookie(call, "visitor", visitor),
  });
}

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
  if (hasRelay(call)) inTransaction(platen, () => requestPasswordReset(platen, email));
  return formResponse(call, (token) => forgotPasswordPage({ token, hasRelay: hasRelay(call), isSent: true }));
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
    const errors = fieldErrorsOf(error);
    return formResponse(call, (token) => newPasswordPage({ token, email, errors }), 422);
  }
}

function forgotPasswordPage(form: { token: string; hasRelay: boolean; isSent?: boolean }): Html {
  return ownerLayout({
    title: "Forgot your password?",
    main: html`<h1>Forgot your password?</h1>
${form.hasRelay ? (form.isSent ? sentNotice : addressForm(form.token)) : commandHint}
<p><a href="/auth/sign-in">Back to sign-in</a></p>`,
  });
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

function newPasswordPage(form: { token: string; email: string; errors?: FieldErrors }): Html {
  return ownerLayout({
    title: "New password",
    main: html`<h1>New password</h1>
<p class="lead">For ${form.email}. Saving signs you out in all browsers.</p>
<form method="post">
${csrfField(form.token)}
<input type="email" autocomplete="username" value="${form.email}" hidden>
${inputField(form, "password", "New password", {
  hint: "At least 10 characters. A sentence works well.",
  more: html`type="password" required minlength="10" maxlength="1000" autocomplete="new-password" autofocus`,
})}
<button>Set the password</button>
</form>`,
  });
}
