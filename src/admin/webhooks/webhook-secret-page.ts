import { conflict } from "../../errors";
import { csrfField } from "../../owner/csrf";
import { type Html, html } from "../../text/html";
import { blogPath } from "../layout/menu-places";
import { wayUp } from "../layout/page-links";
import type { BlogVisit } from "../layout/visit";
import { timesFor } from "../words/times";

/** @throws Refusal (conflict) if there is no secret yet */
export function secretMain({ call, blog, token }: BlogVisit): Html {
  const { webhookSecret, formerSecretUntil } = blog;
  if (!webhookSecret) throw conflict("The secret is created with the first webhook URL. Save one first.");
  const path = blogPath(blog, "/webhooks");
  const isOldSecretValid = formerSecretUntil !== null && call.platen.now() < formerSecretUntil;
  return html`${wayUp(path, "Webhooks")}
<h1>Signing secret</h1>
<p class="lead">Requests to all URLs of this blog are signed with this secret (Standard Webhooks), so receivers can verify that they come from here.</p>
<div class="field copied"><label for="secret">Secret</label>
<div class="beside"><textarea id="secret" rows="1" readonly spellcheck="false">${webhookSecret}</textarea>
<button type="button" class="quiet" data-copy="secret" data-with-scripts>Copy</button></div></div>
${isOldSecretValid && html`<p>The old secret stays valid until ${timesFor(blog, call.platen.now()).full(formerSecretUntil)}.</p>`}
<h2>Replace the secret</h2>
<p>If someone else may have seen it, create a new one. For 24 hours, requests are signed with both, so you have time to update each receiver.</p>
<form class="actions" method="post" action="${path}/secret">
${csrfField(token)}
<button class="danger">Create new secret</button>
</form>`;
}
