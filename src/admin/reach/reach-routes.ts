import { fieldErrorsOf, type RefusalKind } from "../../errors";
import { inputField } from "../../http/forms/form-field";
import { ERROR_STATUS } from "../../http/responses/error-responses";
import type { HttpResponse } from "../../http/responses/response";
import { changeMentionSettings, hasWebmentions, hubOf } from "../../mentions/mention-settings";
import { csrfField } from "../../owner/csrf";
import type { Platen } from "../../platen";
import { type Html, html } from "../../text/html";
import { adminResponse, adminRouter, onBlog } from "../layout/admin-responses";
import { blogPath } from "../layout/menu-places";
import { switchControl } from "../layout/page-controls";
import { redirectWithToast } from "../layout/toasts";
import { type AdminForm, type BlogVisit, withForm } from "../layout/visit";
import { copySection } from "./copy-section";
import { fediverseSection } from "./fediverse-section";
import { newsletterSection } from "./newsletter-section";

export const reachRoutes = (platen: Platen) =>
  adminRouter(platen, "reach")
    .get(
      "/admin/blogs/:slug/reach",
      onBlog((visit) => reachResponse(visit)),
    )
    .post("/admin/blogs/:slug/reach/mentions", onBlog(withForm(change)));

async function change(visit: BlogVisit, form: AdminForm): Promise<HttpResponse> {
  const { call, blog } = visit;
  try {
    const webmention = form.get("webmention") === "on";
    changeMentionSettings(call.platen, blog, { webmention, hub: form.text("hub") });
    return redirectWithToast(call, blogPath(blog, "/reach"), "Saved.");
  } catch (error) {
    const { hub = [] } = fieldErrorsOf(error);
    const errors = hub.map((message) => `The hub ${message}.`);
    return await reachResponse(visit, mentionSection, errors);
  }
}

const mentionSection = { title: "Mentions and hub", show: showMentions };

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

interface ReachSection {
  title: string;
  show(visit: BlogVisit, errors: string[]): Html;
}

const SECTIONS: ReachSection[] = [newsletterSection, fediverseSection, copySection, mentionSection];

/** @param rejected the section whose form was rejected @param errors whole sentences */
export function reachResponse(
  visit: BlogVisit,
  rejected?: ReachSection,
  errors: string[] = [],
  kind: RefusalKind = "invalid",
): Promise<HttpResponse> {
  const main = html`<div class="page-head"><h1>Reach</h1></div>
<p class="lead">Ways to reach readers beyond the site and its feeds. Each is off until you turn it on.</p>
${SECTIONS.map((one) => html`<section class="settings"><h2>${one.title}</h2>${one.show(visit, one === rejected ? errors : [])}</section>`)}`;
  return adminResponse(visit, {
    title: "Reach",
    place: "reach",
    main,
    status: rejected && ERROR_STATUS[kind],
  });
}
