import { hasWebmentions, hubOf } from "../../mentions/mention-settings";
import { csrfField } from "../../owner/csrf";
import { type Html, html } from "../../text/html";
import { blogPath } from "../layout/menu-places";
import type { BlogVisit } from "../layout/visit";

export const mentionSection = { title: "Mentions and hub", show: showMentions };

function showMentions({ blog, token }: BlogVisit, typed?: { errors: string[] }): Html {
  return html`<form class="stack" method="post" action="${blogPath(blog, "/reach/mentions")}">
${csrfField(token)}
${typed?.errors.map((error) => html`<p class="fault" role="alert">${error}</p>`)}
<div class="switch"><input type="checkbox" id="webmention" name="webmention" value="on"${hasWebmentions(blog) && html` checked`} aria-describedby="webmention-hint">
<label for="webmention">Webmentions</label>
<p class="hint" id="webmention-hint">Sites that you link to are notified. Replies, likes and reposts from other sites appear under your posts; replies from a new site wait for your approval.</p></div>
<div class="field"><label for="hub">WebSub hub</label>
<input id="hub" name="hub" type="url" value="${hubOf(blog) ?? ""}" placeholder="https://" aria-describedby="hub-hint">
<p class="hint" id="hub-hint">Feed readers get new posts at once from a hub. Leave empty for none.</p></div>
<div class="actions"><button class="quiet">Save</button></div>
</form>`;
}
