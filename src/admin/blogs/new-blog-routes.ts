import { addBlog, type NewBlog } from "../../blogs/blogs";
import { MAX_LENGTHS } from "../../config/request-limits";
import { inTransaction } from "../../database/transactions";
import { type FieldErrors, Refusal } from "../../errors";
import { ERROR_STATUS } from "../../http/responses/error-responses";
import { type HttpResponse, seeOther } from "../../http/responses/response";
import type { Platen } from "../../platen";
import { adminResponse } from "../layout/admin-responses";
import { adminRouter, onAccount } from "../layout/admin-router";
import { blogPath } from "../layout/menu-places";
import { redirectWithToast } from "../layout/toasts";
import { readAdminForm, type Visit } from "../layout/visit";
import { newBlogMain } from "./new-blog-page";
import { settingsHead } from "./settings-styles";

const FORM = { title: MAX_LENGTHS.typedLine, slug: MAX_LENGTHS.wishedSlug, domain: MAX_LENGTHS.typedLine };

/** "new" is a reserved slug, so no blog has this address. */
export const newBlogRoutes = (platen: Platen) =>
  adminRouter(platen, "new blog")
    .get(
      "/admin/blogs/new",
      onAccount((visit) => newBlogAnswer(visit, { title: "", slug: "", domain: "" })),
    )
    .post("/admin/blogs/new", onAccount(createBlog), { parse: "none" });

function newBlogAnswer(visit: Visit, input: NewBlog, faults?: FieldErrors): Promise<HttpResponse> {
  return adminResponse(visit, {
    title: "New blog",
    head: settingsHead,
    main: newBlogMain(visit, input, faults),
    status: faults ? ERROR_STATUS.invalid : 200,
  });
}

async function createBlog(visit: Visit): Promise<HttpResponse> {
  const { platen } = visit.call;
  const form = await readAdminForm(visit, FORM);
  const text = (name: keyof typeof FORM) => form.get(name) ?? "";
  const input = { title: text("title"), slug: text("slug"), domain: text("domain") };
  try {
    const blog = inTransaction(platen, () => addBlog(platen, visit.account, input));
    if (blog.pendingDomain)
      return redirectWithToast(visit.call, blogPath(blog, "/settings/address"), {
        says: `Blog created. ${blog.pendingDomain} is used once it points to this server.`,
      });
    // No toast: on a phone it would cover the first steps.
    return seeOther(blogPath(blog));
  } catch (fault) {
    if (!(fault instanceof Refusal) || fault.kind !== "invalid") throw fault;
    return newBlogAnswer(visit, input, fault.fields);
  }
}
