import { MAX_LENGTHS } from "../../config/request-limits";
import { Refusal } from "../../errors";
import { ERROR_STATUS } from "../../http/responses/error-responses";
import type { HttpResponse } from "../../http/responses/response";
import { changeMentionSettings } from "../../mentions/mention-settings";
import type { Platen } from "../../platen";
import { adminResponse, adminRouter, onBlog } from "../layout/admin-responses";
import { blogPath } from "../layout/menu-places";
import { redirectWithToast } from "../layout/toasts";
import { type BlogVisit, readAdminForm } from "../layout/visit";
import { mentionSection } from "./mention-section";
import { reachMain } from "./reach-page";

export const reachRoutes = (platen: Platen) =>
  adminRouter(platen, "reach").get("/admin/blogs/:slug/reach", onBlog(reachResponse));

async function reachResponse(visit: BlogVisit): Promise<HttpResponse> {
  return await adminResponse(visit, { title: "Reach", place: "reach", main: await reachMain(visit) });
}

const FORM = { webmention: 10, hub: MAX_LENGTHS.webAddress };

export const mentionAdminRoutes = (platen: Platen) =>
  adminRouter(platen, "mentions").post("/admin/blogs/:slug/reach/mentions", onBlog(change));

async function change(visit: BlogVisit): Promise<HttpResponse> {
  const { call, blog } = visit;
  const form = await readAdminForm(visit, FORM);
  try {
    const webmention = form.get("webmention") === "on";
    changeMentionSettings(call.platen, blog, { webmention, hub: form.get("hub") ?? "" });
    return redirectWithToast(call, blogPath(blog, "/reach"), { message: "Saved." });
  } catch (error) {
    if (!(error instanceof Refusal) || !error.fields?.hub) throw error;
    const errors = { [mentionSection.title]: error.fields.hub.map((message) => `The hub ${message}.`) };
    const main = await reachMain(visit, errors);
    return await adminResponse(visit, {
      title: "Reach",
      place: "reach",
      main,
      status: ERROR_STATUS[error.kind],
    });
  }
}
