import { changeMentionSettings } from "../../mentions/mention-settings";
import { type Html, html } from "../../text/html";
import { type AdminPage, blogRoutes, withForm } from "../layout/admin-routes";
import { type AdminForm, type BlogVisit, blogPath } from "../layout/visit";
import { copySection } from "./copy-section";
import { fediverseSection } from "./fediverse-section";
import { mentionSection } from "./mention-section";
import { newsletterSection } from "./newsletter-section";

export const reachRoutes = blogRoutes({
  "GET /reach": reachPage,
  "POST /reach/mentions": withForm(changeMentions, reachPage),
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

export function reachPage(visit: BlogVisit): AdminPage {
  const main = html`<div class="page-head"><h1>Reach</h1></div>
<p class="lead">Ways to reach readers beyond the site and its feeds. Each is off until you turn it on.</p>
${SECTIONS.map(([title, show]) => html`<section class="settings"><h2>${title}</h2>${show(visit)}</section>`)}`;
  return { title: "Reach", place: "reach", main };
}
