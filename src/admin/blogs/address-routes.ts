import { moveBlog } from "../../blogs/blog-address";
import { type Blog, blogById } from "../../blogs/blogs";
import { checkDomain, confirmDomain } from "../../blogs/domain-check";
import { blogUrl } from "../../blogs/permalinks";
import { MAX_LENGTHS } from "../../config/request-limits";
import { inTransaction } from "../../database/transactions";
import { Refusal } from "../../errors";
import { ERROR_STATUS } from "../../http/responses/error-responses";
import type { HttpResponse } from "../../http/responses/response";
import type { Platen } from "../../platen";
import { adminResponse } from "../layout/admin-responses";
import { adminRouter, onBlog } from "../layout/admin-router";
import { blogPath } from "../layout/menu-places";
import { redirectWithToast } from "../layout/toasts";
import { type BlogVisit, readAdminForm } from "../layout/visit";
import { type AddressResult, addressMain } from "./address-section";
import { settingsHead } from "./settings-styles";

const FORM = { do: 10, slug: MAX_LENGTHS.wishedSlug, domain: MAX_LENGTHS.typedLine };

export const addressRoutes = (platen: Platen) =>
  adminRouter(platen, "address")
    .get("/admin/blogs/:slug/settings/address", onBlog(addressAnswer))
    .post("/admin/blogs/:slug/settings/address", onBlog(changeAddress), { parse: "none" });

function addressAnswer(visit: BlogVisit, result: AddressResult = {}): Promise<HttpResponse> {
  return adminResponse(visit, {
    title: "Address",
    place: "settings",
    head: settingsHead,
    main: addressMain(visit, result),
    status: result.faults ? ERROR_STATUS.invalid : 200,
  });
}

async function changeAddress(visit: BlogVisit): Promise<HttpResponse> {
  const { call, blog, account } = visit;
  const { platen } = call;
  const form = await readAdminForm(visit, FORM);
  const isCheck = form.get("do") === "check";
  const typed = { slug: form.get("slug") ?? "", domain: form.get("domain") ?? "" };
  try {
    if (isCheck) return await checkAgain(visit);
    inTransaction(platen, () => moveBlog(platen, blog, typed));
    const moved = reload(visit);
    const { pendingDomain } = moved;
    if (!pendingDomain) return savedAnswer(visit);
    const state = await confirmDomain(platen, { ...moved, pendingDomain }, account);
    if (state.isFine) return savedAnswer(visit);
    const says = `Saved. ${state.says}`;
    return addressAnswer({ ...visit, blog: reload(visit) }, { state: { ...state, says } });
  } catch (fault) {
    if (!(fault instanceof Refusal) || fault.kind !== "invalid") throw fault;
    return addressAnswer(visit, { typed: isCheck ? undefined : typed, faults: fault.fields });
  }
}

function savedAnswer(visit: BlogVisit): HttpResponse {
  const { call } = visit;
  const blog = reload(visit);
  const says = `The blog is at ${blogUrl(call.platen, blog)}`;
  return redirectWithToast(call, blogPath(blog, "/settings/address"), { says });
}

function reload({ call, blog: { id } }: BlogVisit): Blog {
  return blogById(call.platen, id) as Blog;
}

async function checkAgain(visit: BlogVisit): Promise<HttpResponse> {
  const { call, blog, account } = visit;
  const { platen } = call;
  const { domain, pendingDomain } = blog;
  if (pendingDomain) {
    const state = await confirmDomain(platen, { ...blog, pendingDomain }, account);
    return addressAnswer({ ...visit, blog: reload(visit) }, { state });
  }
  if (!domain) return addressAnswer(visit);
  return addressAnswer(visit, { state: await checkDomain(platen, { ...blog, domain }, account.isAdmin) });
}
