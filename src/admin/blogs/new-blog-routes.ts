import { addBlog, type NewBlog } from "../../blogs/blogs";
import { MAX_LENGTHS } from "../../config/request-limits";
import { inTransaction } from "../../database/transactions";
import { type FieldErrors, Refusal } from "../../errors";
import { ERROR_STATUS } from "../../http/responses/error-responses";
import { type HttpResponse, seeOther } from "../../http/responses/response";
import type { Platen } from "../../platen";
import { adminAnswer } from "../layout/admin-answers";
import { adminDoor, onAccount } from "../layout/admin-door";
import { blogPath } from "../layout/menu-places";
import { toastThen } from "../layout/toasts-and-undo";
import { sentForm, type Visit } from "../layout/visit";
import { newBlogMain } from "./new-blog-page";
import { settingsHead } from "./settings-styles";

const FORM = { title: MAX_LENGTHS.typedLine, slug: MAX_LENGTHS.wishedSlug, domain: MAX_LENGTHS.typedLine };

/** Another blog, made by whoever is signed in. No blog is called "new": see reserved-slugs.ts. */
export const newBlog = (platen: Platen) =>
  adminDoor(platen, "new blog")
    .get(
      "/admin/blogs/new",
      onAccount((visit) => newBlogAnswer(visit, { title: "", slug: "", domain: "" })),
    )
    .post("/admin/blogs/new", onAccount(made), { parse: "none" });

function newBlogAnswer(visit: Visit, wish: NewBlog, faults?: FieldErrors): Promise<HttpResponse> {
  return adminAnswer(visit, {
    title: "New blog",
    head: settingsHead,
    main: newBlogMain(visit, wish, faults),
    status: faults ? ERROR_STATUS.invalid : 200,
  });
}

async function made(visit: Visit): Promise<HttpResponse> {
  const { platen } = visit.call;
  const form = await sentForm(visit, FORM);
  const text = (name: keyof typeof FORM) => form.get(name) ?? "";
  const wish = { title: text("title"), slug: text("slug"), domain: text("domain") };
  try {
    const blog = inTransaction(platen, () => addBlog(platen, visit.account, wish));
    if (blog.pendingDomain)
      return toastThen(visit.call, blogPath(blog, "/settings/address"), {
        says: `The blog is there. ${blog.pendingDomain} is used once it leads here.`,
      });
    // Its first page asks for a first post: a toast would lie over that on a phone.
    return seeOther(blogPath(blog));
  } catch (fault) {
    if (!(fault instanceof Refusal) || fault.kind !== "invalid") throw fault;
    return newBlogAnswer(visit, wish, fault.fields);
  }
}
