import { formError, formField } from "../http/forms/form-field";
import { type Html, html } from "../text/html";
import { csrfField } from "./csrf";
import { ownerLayout } from "./owner-page";

export function signInPage(form: {
  token: string;
  /** The path to continue to after sign-in. */
  next: string;
  email?: string;
  fault?: string;
  /** The passkey request and its script, or the URL at which passkeys work. */
  passkey?: { options: object; script: Html } | { elsewhere: string } | null;
}): Html {
  const { token, next, email = "", fault, passkey } = form;
  const asked = requestingApp(next);
  return ownerLayout({
    title: "Sign in",
    head: passkey && "script" in passkey ? passkey.script : null,
    main: html`<h1>Sign in</h1>
${asked && html`<p class="lead">Next, you decide what <strong>${asked}</strong> may do.</p>`}
${fault && formError(fault)}
<form method="post" action="/auth/sign-in">
${csrfField(token)}
<input type="hidden" name="next" value="${next}">
${formField({ name: "email", label: "E-mail" }, (attributes) => html`<input ${attributes} type="email" required maxlength="254" autocomplete="username webauthn" value="${email}"${email === "" && html` autofocus`}>`)}
${formField({ name: "password", label: "Password" }, (attributes) => html`<input ${attributes} type="password" required maxlength="1000" autocomplete="current-password"${email !== "" && html` autofocus`}>`)}
<button>Sign in</button>
</form>
${passkey && ("elsewhere" in passkey ? html`<p>Passkeys work at <a href="${passkey.elsewhere}">${URL.parse(passkey.elsewhere)?.host}</a>.</p>` : passkeyForm(form, passkey.options))}
<p><a href="/auth/forgot-password">Forgot your password?</a></p>`,
  });
}

/** A hidden form. A script shows it if the browser supports passkeys. */
function passkeyForm({ token, next }: { token: string; next: string }, options: object): Html {
  return html`<form method="post" action="/auth/sign-in/passkey" data-passkey="${JSON.stringify(options)}" hidden>
${csrfField(token)}
<input type="hidden" name="next" value="${next}">
<input type="hidden" name="answer">
<button class="other">Sign in with a passkey</button>
<p class="wrong" role="status" hidden>No passkey was used. Try again, or sign in with your password.</p>
</form>`;
}

function requestingApp(next: string): string | null {
  const clientId = URL.parse(next, "http://here.invalid")?.searchParams.get("client_id");
  return (clientId && URL.parse(clientId)?.host) || null;
}

export function secondStepPage(form: { token: string; next: string; ticket: string; fault?: string }): Html {
  const { token, next, ticket, fault } = form;
  return ownerLayout({
    title: "Sign in",
    main: html`<h1>Two-factor code</h1>
<form method="post" action="/auth/sign-in/code">
${csrfField(token)}
<input type="hidden" name="next" value="${next}">
<input type="hidden" name="ticket" value="${ticket}">
${formField(
  {
    name: "code",
    label: "Code",
    hint: "The six digits from your app, or a recovery code.",
    faults: fault === undefined ? undefined : [fault],
  },
  (tied) =>
    html`<input ${tied} type="text" required maxlength="40" autocomplete="one-time-code" autocapitalize="none" spellcheck="false" autofocus>`,
)}
<button>Sign in</button>
</form>
<details>
<summary>Lost your app and recovery codes?</summary>
<p>The owner of this server can turn off two-factor codes in a terminal on the server:</p>
<pre class="wrapped"><code>platen account two-factor --email you@example.com --off</code></pre>
</details>`,
  });
}
