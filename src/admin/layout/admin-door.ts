import { forbidden } from "../../errors";
import type { Call } from "../../http/requests/call";
import type { HttpResponse } from "../../http/responses/response";
import { sendResponse } from "../../http/responses/sending";
import { router } from "../../http/routing/router";
import type { Platen } from "../../platen";
import { adminRefusal } from "./admin-answers";
import { type BlogVisit, blogVisit, type Visit, visit } from "./visit";

/** What each room of the admin adds its routes to. A form goes to the address of a page: whoever has to sign in first comes back to that. */
export const adminDoor = (platen: Platen, room: string) => router(platen, `admin ${room}`, adminRefusal);

/** Answers an address below /admin/blogs/:slug to whom the blog belongs. */
export function onBlog(answer: (visit: BlogVisit) => HttpResponse | Promise<HttpResponse>) {
  return async ({ call, params }: { call: Call; params: { slug: string } }) =>
    sendResponse(call, await answer(blogVisit(call, params.slug)));
}

/** Answers an address that is of no blog to whoever is signed in. */
export function onAccount(answer: (visit: Visit) => HttpResponse | Promise<HttpResponse>) {
  return async ({ call }: { call: Call }) => sendResponse(call, await answer(visit(call)));
}

/** Answers an address of the instance to its admins. */
export function forAdmins(answer: (visit: Visit) => HttpResponse | Promise<HttpResponse>) {
  return onAccount((visitor) => {
    if (!visitor.account.isAdmin) throw forbidden("Only an admin of this server can see that.");
    return answer(visitor);
  });
}
