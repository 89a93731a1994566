import { formField } from "../http/forms/form-field";
import { type Html, html } from "../text/html";
import { csrfField } from "./csrf";
import { ownerLayout } from "./owner-page";

/** @param isSent true after the form was sent; the page is the same for known and unknown addresses */
export function forgotPasswordPage(form: { token: string; hasRelay: boolean; isSent?: boolean }): Html {
  return ownerLayout({
    title: "Forgot your password?",
    main: html`<h1>Forgot your password?</h1>
${form.hasRelay ? (form.isSent ? sentPart : addressForm(form.token)) : commandPart}
<p><a href="/auth/sign-in">Back to sign-in</a></p>`,
  });
}

const sentPart = html`<p class="lead" role="status">If an account has this address, a mail with a link is on its way. The link works once, for 30 minutes.</p>
<p>No mail after a few minutes? Look in your spam folder.</p>`;

const commandPart = html`<p>This server sends no mail. Its owner can set a new password in a terminal on the server. Run this, then type the password, Enter and Ctrl+D.</p>
<pre class="wrapped"><code>platen account password --email you@example.com --password-stdin</code></pre>`;

function addressForm(token: string): Html {
  return html`<p class="lead">Enter the e-mail address that you sign in with. You get a link to set a new password.</p>
<form method="post" action="/auth/forgot-password">
${csrfField(token)}
${formField({ name: "email", label: "E-mail" }, (tied) => html`<input ${tied} type="email" required maxlength="254" autocomplete="username" autofocus>`)}
<button>Send the link</button>
</form>`;
}

export function newPasswordPage(form: { token: string; email: string; faults?: string[] }): Html {
  return ownerLayout({
    title: "New password",
    main: html`<h1>New password</h1>
<p class="lead">For ${form.email}. All browsers are signed out.</p>
<form method="post">
${csrfField(form.token)}
<input type="email" autocomplete="username" value="${form.email}" hidden>
${formField(
  {
    name: "password",
    label: "New password",
    hint: "At least 10 characters. A sentence works well.",
    faults: form.faults,
  },
  (tied) =>
    html`<input ${tied} type="password" required minlength="10" maxlength="1000" autocomplete="new-password" autofocus>`,
)}
<button>Set the password</button>
</form>`,
  });
}
