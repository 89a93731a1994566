import { inputField } from "../../http/forms/form-field";
import { hasWebmentions, hubOf } from "../../mentions/mention-settings";
import { type Html, html } from "../../text/html";
import { postForm, switchControl } from "../layout/page-controls";
import { type BlogVisit, blogPath } from "../layout/visit";

const MENTIONS_HINT =
  "Sites that you link to are notified. Replies, likes and reposts from other sites appear under your posts; replies from a new site wait for your approval.";

export function mentionSection(visit: BlogVisit): Html {
  const { blog, rejected } = visit;
  const form = { values: { hub: hubOf(blog) ?? "", ...rejected?.values }, errors: rejected?.errors };
  return html`${postForm(visit, "stack", blogPath(blog, "/reach/mentions"))}
${switchControl("webmention", "Webmentions", hasWebmentions(blog), MENTIONS_HINT)}
${inputField(form, "hub", "WebSub hub", {
  hint: "Feed readers get new posts at once from a hub. Leave empty to use no hub.",
  more: html`type="url" placeholder="https://"`,
})}
<div class="actions"><button class="quiet">Save</button></div>
</form>`;
}
