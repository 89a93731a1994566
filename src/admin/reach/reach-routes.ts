import { fieldErrorsOf } from "../../errors";
import type { HttpResponse } from "../../http/responses/response";
import { changeMentionSettings } from "../../mentions/mention-settings";
import type { Platen } from "../../platen";
import { adminRouter, onBlog } from "../layout/admin-responses";
import { blogPath } from "../layout/menu-places";
import { redirectWithToast } from "../layout/toasts";
import { type BlogVisit, readAdminForm } from "../layout/visit";
import { mentionSection, reachResponse } from "./reach-page";

export const reachRoutes = (platen: Platen) =>
  adminRouter(platen, "reach")
    .get(
      "/admin/blogs/:slug/reach",
      onBlog((visit) => reachResponse(visit)),
    )
    .post("/admin/blogs/:slug/reach/mentions", onBlog(change));

async function change(visit: BlogVisit): Promise<HttpResponse> {
  const { call, blog } = visit;
  const form = await readAdminForm(visit);
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
