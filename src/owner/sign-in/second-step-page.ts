import { formField } from "../../http/forms/form-field";
import { type Html, html } from "../../text/html";
import { csrfField } from "../csrf";
import { ownerLayout } from "../owner-layout";

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
