import { homeBlog } from "../../blogs/permalinks";
import { MAX_LENGTHS } from "../../config/request-limits";
import { conflict, forbidden } from "../../errors";
import { ERROR_STATUS } from "../../http/responses/error-responses";
import { type HttpResponse, seeOther } from "../../http/responses/response";
import type { Platen } from "../../platen";
import { settingsHead } from "../blogs/settings-styles";
import { adminAnswer } from "../layout/admin-answers";
import { adminDoor, onBlog } from "../layout/admin-door";
import { type BlogVisit, sentForm } from "../layout/visit";
import { blogRemovalMain } from "./blog-removal-page";
import { removalBegun } from "./removal-begun";

/** A blog is removed with all that is in it, as a job. */
export const removalRoom = (platen: Platen) =>
  adminDoor(platen, "removal")
    .get(
      "/admin/blogs/:slug/settings/removal",
      onBlog((visit) => removalAnswer(visit)),
    )
    .post("/admin/blogs/:slug/settings/removal", onBlog(removed), { parse: "none" });

/** @throws Refusal: forbidden, conflict */
async function removalAnswer(visit: BlogVisit, fault?: string): Promise<HttpResponse> {
  demandRemovable(visit);
  return adminAnswer(visit, {
    title: "Remove the blog",
    place: "settings",
    head: settingsHead,
    main: blogRemovalMain(visit, fault),
    status: fault ? ERROR_STATUS.invalid : 200,
  });
}

async function removed(visit: BlogVisit): Promise<HttpResponse> {
  const form = await sentForm(visit, { slug: MAX_LENGTHS.typedLine });
  if (form.get("slug")?.trim() !== visit.blog.slug) return removalAnswer(visit, `must be ${visit.blog.slug}`);
  demandRemovable(visit);
  const { id, title } = visit.blog;
  return seeOther(`/admin/jobs/${removalBegun(visit, { blog: id, title })}`);
}

/** @throws Refusal: forbidden, conflict */
function demandRemovable({ call, blog, account }: BlogVisit): void {
  if (!account.isAdmin) throw forbidden("Only an admin of this server can remove a blog.");
  if (homeBlog(call.platen)?.id === blog.id)
    throw conflict(
      "This blog is at the server's own address, which another would take. It is removed by platen blog remove, in a terminal.",
    );
}
