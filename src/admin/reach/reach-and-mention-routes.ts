import { inputField } from "../../http/form-field";
import { changeMentionSettings, hasWebmentions, hubOf } from "../../mentions/mention-settings";
import { type Html, html } from "../../text/html";
import { postForm, switchControl } from "../layout/page-controls";
import { type AdminPage, blogRoutes, withForm } from "../layout/routing";
import { type AdminForm, type BlogVisit, blogPath, formState } from "../layout/visit";
import { changeCopies, copySection } from "./bluesky-and-mastodon-copies";
import { changeFediverse, fediversePage, fediverseSection } from "./fediverse-admin-routes";
import { newsletterSection, saveNewsletter } from "./newsletter-admin-routes";

export const reachRoutes = blogRoutes({
  "GET /reach": reachPage,
  "POST /reach/mentions": withForm(changeMentions, reachPage),
  "POST /reach/newsletter": withForm(saveNewsletter, reachPage),
  "POST /reach/bluesky": withForm(changeCopies("bluesky"), reachPage),
  "POST /reach/mastodon": withForm(changeCopies("mastodon"), reachPage),
  "POST /reach/fediverse": withForm(changeFediverse, (visit) =>
    visit.rejected?.errors.fediverse ? reachPage(visit) : fediversePage(visit),
  ),
});

function changeMentions({ platen, blog }: BlogVisit, form: AdminForm) {
  const webmention = form.get("webmention") === "on";
  changeMentionSettings(platen, blog, { webmention, hub: form.text("hub") });
  return { location: blogPath(blog, "/reach"), toast: "Saved." };
}

const SECTIONS: [title: string, show: (visit: BlogVisit) => Html][] = [
  ["Newsletter", newsletterSection],
  ["Fediverse", fediverseSection],
  ["Copies on Bluesky and Mastodon", copySection],
  ["Mentions and hub", mentionSection],
];

const MENTIONS_HINT =
  "Sites that you link to are notified. Replies, likes and reposts from other sites appear under your posts; replies from a new site wait for your approval.";

function mentionSection(visit: BlogVisit): Html {
  const { blog } = visit;
  const form = formState(visit, { hub: hubOf(blog) ?? "" });
  return html`${postForm(visit, "stack", blogPath(blog, "/reach/mentions"))}
${switchControl("webmention", "Webmentions", hasWebmentions(blog), MENTIONS_HINT)}
${inputField(form, "hub", "WebSub hub", {
  hint: "Feed readers get new posts at once from a hub. Leave empty to use no hub.",
  more: html`type="url" placeholder="https://"`,
})}
<div class="actions"><button class="quiet">Save</button></div>
</form>`;
}

function reachPage(visit: BlogVisit): AdminPage {
  const main = html`<div class="page-head"><h1>Reach</h1></div>
<p class="lead">Ways to reach readers beyond the site and its feeds. Each is off until you turn it on.</p>
${SECTIONS.map(([title, show]) => html`<section class="settings"><h2>${title}</h2>${show(visit)}</section>`)}`;
  return { title: "Reach", place: "reach", main };
}
