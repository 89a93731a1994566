import { moveBlog } from "../../blogs/blog-address";
import { type Blog, blogById } from "../../blogs/blogs";
import { checkDomain } from "../../blogs/domain-check";
import { inTransaction } from "../../database/transactions";
import { Refusal } from "../../errors";
import type { Answer } from "../../http/answers/answer";
import { STATUS } from "../../http/answers/error-answers";
import type { Platen } from "../../platen";
import { LONGEST } from "../../request-limits";
import { adminAnswer } from "../layout/admin-answers";
import { adminDoor, onBlog } from "../layout/admin-door";
import { blogPath } from "../layout/menu-places";
import { toastThen } from "../layout/toasts-and-undo";
import { type BlogVisit, sentForm } from "../layout/visit";
import { type AddressNews, addressMain } from "./address-section";
import { settingsHead } from "./settings-styles";

const FORM = { do: 10, slug: LONGEST.wishedSlug, domain: LONGEST.typedLine };

/** Where a blog is. */
export const address = (platen: Platen) =>
  adminDoor(platen, "address")
    .get(
      "/admin/blogs/:slug/settings/address",
      onBlog((visit) => addressAnswer(visit)),
    )
    .post("/admin/blogs/:slug/settings/address", onBlog(saved), { parse: "none" });

function addressAnswer(visit: BlogVisit, news: AddressNews = {}): Promise<Answer> {
  return adminAnswer(visit, {
    title: "Address",
    place: "settings",
    head: settingsHead,
    main: addressMain(visit, news),
    status: news.faults ? STATUS.invalid : 200,
  });
}

async function saved(visit: BlogVisit): Promise<Answer> {
  const { call, blog } = visit;
  const form = await sentForm(visit, FORM);
  if (form.get("do") === "check") return checked(visit);
  const typed = { slug: form.get("slug") ?? "", domain: form.get("domain") ?? "" };
  try {
    const url = inTransaction(call.platen, () => moveBlog(call.platen, blog, typed));
    const now = blogById(call.platen, blog.id) as Blog;
    return toastThen(call, blogPath(now, "/settings/address"), { says: `The blog is at ${url}` });
  } catch (fault) {
    if (!(fault instanceof Refusal) || fault.kind !== "invalid") throw fault;
    return addressAnswer(visit, { typed, faults: fault.fields });
  }
}

async function checked(visit: BlogVisit): Promise<Answer> {
  const { call, blog, account } = visit;
  const { domain } = blog;
  if (!domain) return addressAnswer(visit);
  return addressAnswer(visit, {
    state: await checkDomain(call.platen, { ...blog, domain }, account.isAdmin),
  });
}
