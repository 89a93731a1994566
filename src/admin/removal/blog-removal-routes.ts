import { homeBlog } from "../../blogs/permalinks";
import { MAX_LENGTHS } from "../../config/request-limits";
import { conflict, forbidden } from "../../errors";
import { ERROR_STATUS } from "../../http/responses/error-responses";
import { type HttpResponse, seeOther } from "../../http/responses/response";
import type { Platen } from "../../platen";
import { settingsHead } from "../blogs/settings-styles";
import { adminResponse } from "../layout/admin-responses";
import { adminRouter, onBlog } from "../layout/admin-router";
import { type BlogVisit, readAdminForm } from "../layout/visit";
import { blogRemovalMain } from "./blog-removal-page";
import { startRemoval } from "./removal";

export const removalRoutes = (platen: Platen) =>
  adminRouter(platen, "removal")
    .get("/admin/blogs/:slug/settings/removal", onBlog(removalAnswer))
    .post("/admin/blogs/:slug/settings/removal", onBlog(removeBlog), { parse: "none" });

async function removalAnswer(visit: BlogVisit, fault?: string): Promise<HttpResponse> {
  assertRemovable(visit);
  return adminResponse(visit, {
    title: "Remove blog",
    place: "settings",
    head: settingsHead,
    main: blogRemovalMain(visit, fault),
    status: fault ? ERROR_STATUS.invalid : 200,
  });
}

async function removeBlog(visit: BlogVisit): Promise<HttpResponse> {
  const form = await readAdminForm(visit, { slug: MAX_LENGTHS.typedLine });
  if (form.get("slug")?.trim() !== visit.blog.slug) return removalAnswer(visit, `must be ${visit.blog.slug}`);
  assertRemovable(visit);
  const { id, title } = visit.blog;
  return seeOther(`/admin/jobs/${startRemoval(visit, { blog: id, title })}`);
}

function assertRemovable({ call, blog, account }: BlogVisit): void {
  if (!account.isAdmin) throw forbidden("Only an admin of this server can remove a blog.");
  if (homeBlog(call.platen)?.id === blog.id)
    throw conflict(
      "This blog uses the server’s own address, which another blog would take over. Remove it in a terminal with platen blog remove.",
    );
}
