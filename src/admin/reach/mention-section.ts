import { inputField } from "../../http/forms/form-field";
import { hasWebmentions, hubOf } from "../../mentions/mention-settings";
import { csrfField } from "../../owner/csrf";
import { type Html, html } from "../../text/html";
import { blogPath } from "../layout/menu-places";
import { switchControl } from "../layout/page-controls";
import type { BlogVisit } from "../layout/visit";

export const mentionSection = { title: "Mentions and hub", show: showMentions };

const MENTIONS_HINT =
  "Sites that you link to are notified. Replies, likes and reposts from other sites appear under your posts; replies from a new site wait for your approval.";

function showMentions({ blog, token }: BlogVisit, errors: string[]): Html {
  return html`<form class="stack" method="post" action="${blogPath(blog, "/reach/mentions")}">
${csrfField(token)}
${errors.map((error) => html`<p class="fault" role="alert">${error}</p>`)}
${switchControl("webmention", "Webmentions", hasWebmentions(blog), MENTIONS_HINT)}
${inputField({ values: { hub: hubOf(blog) ?? "" } }, "hub", "WebSub hub", {
  hint: "Feed readers get new posts at once from a hub. Leave empty to use no hub.",
  more: html`type="url" placeholder="https://"`,
})}
<div class="actions"><button class="quiet">Save</button></div>
</form>`;
}
