import { fieldErrorsOf, type RefusalKind } from "../../errors";
import { ERROR_STATUS } from "../../http/responses/error-responses";
import type { HttpResponse } from "../../http/responses/response";
import { changeMentionSettings } from "../../mentions/mention-settings";
import type { Platen } from "../../platen";
import { type Html, html } from "../../text/html";
import { adminResponse, adminRouter, onBlog } from "../layout/admin-responses";
import { blogPath } from "../layout/menu-places";
import { redirectWithToast } from "../layout/toasts";
import { type AdminForm, type BlogVisit, withForm } from "../layout/visit";
import { copySection } from "./copy-section";
import { fediverseSection } from "./fediverse-section";
import { mentionSection } from "./mention-section";
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

interface ReachSection {
  title: string;
  show(visit: BlogVisit, errors: string[]): Html;
}

const SECTIONS: ReachSection[] = [newsletterSection, fediverseSection, copySection, mentionSection];

/** @param errors whole sentences, about the section `rejected` */
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
