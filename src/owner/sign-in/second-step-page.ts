import { formField } from "../../http/forms/form-field";
import { type Html, html } from "../../text/html";
import { csrfField } from "../csrf";
import { ownerLayout } from "../owner-layout";

/** Asks for the code, after the password. @param fault what was wrong with the last one */
export function secondStepPage(form: { token: string; next: string; ticket: string; fault?: string }): Html {
  const { token, next, ticket, fault } = form;
  return ownerLayout({
    title: "Sign in",
    main: html`<h1>One more step</h1>
<form method="post" action="/auth/sign-in/code">
${csrfField(token)}
<input type="hidden" name="next" value="${next}">
<input type="hidden" name="ticket" value="${ticket}">
${formField(
  {
    name: "code",
    label: "Code",
    hint: "The six digits that your app shows now, or one of your recovery codes.",
    faults: fault === undefined ? undefined : [fault],
  },
  (tied) =>
    html`<input ${tied} type="text" required maxlength="40" autocomplete="one-time-code" autocapitalize="none" spellcheck="false" autofocus>`,
)}
<button>Sign in</button>
</form>
<details>
<summary>No app and no recovery code any more?</summary>
<p>Whoever runs this Platen turns the codes off, in a terminal on its machine:</p>
<pre class="wrapped"><code>platen account two-factor --email you@example.com --off</code></pre>
</details>`,
  });
}
