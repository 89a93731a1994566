import { conflict } from "../../errors";
import { csrfField } from "../../owner/csrf";
import { type Html, html } from "../../text/html";
import { blogPath } from "../layout/menu-places";
import { wayUp } from "../layout/page-links";
import type { BlogVisit } from "../layout/visit";
import { timesFor } from "../words/times";

/** What the blog's requests are signed with; shown to whoever asks for it. @throws Refusal (conflict) where there is none yet */
export function secretMain({ call, blog, token }: BlogVisit): Html {
  const { webhookSecret, formerSecretUntil } = blog;
  if (!webhookSecret) throw conflict("The secret is made with the first webhook URL: save one first.");
  const path = blogPath(blog, "/webhooks");
  const isFormerValid = formerSecretUntil !== null && call.platen.now() < formerSecretUntil;
  return html`${wayUp(path, "Webhooks")}
<h1>Signing secret</h1>
<p class="lead">All URLs of this blog are sent requests that are signed with it, as Standard Webhooks says. A receiver that checks the signature knows that they are from here.</p>
<div class="field copied"><label for="secret">The secret</label>
<div class="beside"><textarea id="secret" rows="1" readonly spellcheck="false">${webhookSecret}</textarea>
<button type="button" class="quiet" data-copy="secret" data-with-scripts>Copy</button></div></div>
${isFormerValid && html`<p>The former one signs too until ${timesFor(blog, call.platen.now()).full(formerSecretUntil)}.</p>`}
<h2>Another one</h2>
<p>If somebody may have seen it, make a new one. For 24 hours requests are signed with both, so that you can change each receiver in between.</p>
<form class="actions" method="post" action="${path}/secret">
${csrfField(token)}
<button class="danger">Make a new secret</button>
</form>`;
}
