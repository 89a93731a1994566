import { type Html, html } from "../../html";
import { formFault, formField } from "../../http/forms/form-field";
import { csrfField } from "../csrf";
import { ownerLayout } from "../owner-layout";

/** E-mail and password, and what was wrong with them the last time. */
export function signInPage(form: {
  /** See csrf. */
  token: string;
  /** A path on this host, to go on to. */
  next: string;
  email?: string;
  fault?: string;
}): Html {
  const { token, next, email = "", fault } = form;
  const asked = appNamedIn(next);
  return ownerLayout({
    title: "Sign in",
    main: html`<h1>Sign in</h1>
${asked && html`<p class="lead">Then you decide what <strong>${asked}</strong> may do.</p>`}
${fault && formFault(fault)}
<form method="post" action="/auth/sign-in">
${csrfField(token)}
<input type="hidden" name="next" value="${next}">
${formField({ name: "email", label: "E-mail" }, (attributes) => html`<input ${attributes} type="email" required maxlength="254" autocomplete="username" value="${email}"${email === "" && html` autofocus`}>`)}
${formField({ name: "password", label: "Password" }, (attributes) => html`<input ${attributes} type="password" required maxlength="1000" autocomplete="current-password"${email !== "" && html` autofocus`}>`)}
<button>Sign in</button>
</form>
<details>
<summary>No password yet, or forgotten?</summary>
<p>Whoever runs this Platen sets one, in a terminal on its machine: type this, then the password, Enter and Ctrl+D.</p>
<pre class="wrapped"><code>platen account password --email you@example.com --password-stdin</code></pre>
</details>`,
  });
}

/** The app that sent its user here, by its host. */
function appNamedIn(next: string): string | null {
  const clientId = URL.parse(next, "http://here.invalid")?.searchParams.get("client_id");
  return (clientId && URL.parse(clientId)?.host) || null;
}
