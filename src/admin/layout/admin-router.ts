import { forbidden } from "../../errors";
import type { Call } from "../../http/requests/call";
import { type HttpResponse, sendResponse } from "../../http/responses/response";
import { router } from "../../http/routing/router";
import type { Platen } from "../../platen";
import { adminErrorPage } from "./admin-responses";
import { type BlogVisit, requireBlogVisit, requireVisit, type Visit } from "./visit";

export const adminRouter = (platen: Platen, room: string) => router(platen, `admin ${room}`, adminErrorPage);

/** Wraps a handler for paths below /admin/blogs/:slug. Only the blog's owner has access. */
export function onBlog(answer: (visit: BlogVisit) => HttpResponse | Promise<HttpResponse>) {
  return async ({ call, params }: { call: Call; params: { slug: string } }) =>
    sendResponse(call, await answer(requireBlogVisit(call, params.slug)));
}

/** Wraps a handler for paths without a blog. Any signed-in account has access. */
export function onAccount(answer: (visit: Visit) => HttpResponse | Promise<HttpResponse>) {
  return async ({ call }: { call: Call }) => sendResponse(call, await answer(requireVisit(call)));
}

/** Wraps a handler for paths of the whole instance. Only admins have access. */
export function forAdmins(answer: (visit: Visit) => HttpResponse | Promise<HttpResponse>) {
  return onAccount((visitor) => {
    if (!visitor.account.isAdmin) throw forbidden("Only an admin of this server can see this page.");
    return answer(visitor);
  });
}
