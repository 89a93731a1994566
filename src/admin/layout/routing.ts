import { forbidden, type Refusal } from "../../errors";
import type { Call } from "../../http/requests/call";
import { requestBase } from "../../http/requests/client-address";
import { readReferer } from "../../http/requests/headers";
import { withEncodings } from "../../http/responses/compression";
import { ERROR_STATUS, errorHeaders, toRefusal } from "../../http/responses/error-responses";
import type { HttpResponse } from "../../http/responses/response";
import { CACHE_CONTROL, privatePageResponse, seeOther, sendResponse } from "../../http/responses/response";
import { unparsedRouter } from "../../http/router";
import { ownerErrorPage } from "../../owner/owner-page";
import { prefetchTag, scriptTag } from "../../owner/scripts/script-routes";
import { readCookie, setCookie } from "../../owner/session-cookie";
import { signInPath } from "../../owner/sign-in-routes";
import type { Platen } from "../../platen";
import { html } from "../../text/html";
import { type AdminPage, adminLayout } from "./admin-layout";
import { pendingToast, redirectWithToast, type Toast } from "./toasts";
import type { AdminForm, BlogVisit, Visit } from "./visit";
import { actionNamed, findVisit, idIn, readAdminForm, requireBlogVisit, requireVisit } from "./visit";

export type { AdminPage };

interface Redirect {
  location: string;
  toast?: Toast | string;
}

/** A string redirects to the path of the request, and is the toast there. */
export type AdminResult = AdminPage | Redirect | HttpResponse | string;
type Result = AdminResult | Promise<AdminResult>;

/** Gets `:id` of the path, or 0. */
type Respond<AnyVisit> = (visit: AnyVisit, id: number) => Result;
type Table<AnyVisit> = Record<`${"GET" | "POST"} /${string}`, Respond<AnyVisit>>;

/** Keys such as "GET /admin/jobs/:id". */
export type AdminRoutes = Record<string, ReturnType<typeof onBlog>>;

/** Only the owner of the blog has access. */
export const blogRoutes = routesBelow("/admin/blogs/:slug", requireBlogVisit);

/** Any signed-in account has access. */
export const accountRoutes = routesBelow("/admin", requireVisit);

export const serverRoutes = routesBelow("/admin", (call): Visit => {
  const visit = requireVisit(call);
  if (!visit.account.isAdmin) throw forbidden("Only an admin of this server can see this page.");
  return visit;
});

export const onBlog = (respond: Respond<BlogVisit>) => routeHandler(requireBlogVisit, respond);

type FindVisit<AnyVisit> = (call: Call, slug: string) => AnyVisit;

function routesBelow<AnyVisit extends Visit>(below: string, findVisit: FindVisit<AnyVisit>) {
  return (table: Table<AnyVisit>): AdminRoutes =>
    Object.fromEntries(
      Object.entries<Respond<AnyVisit>>(table).map(([route, respond]) => [
        route.replace("/", `${below}/`).replace(/\/$/, ""),
        routeHandler(findVisit, respond),
      ]),
    );
}

function routeHandler<AnyVisit extends Visit>(findVisit: FindVisit<AnyVisit>, respond: Respond<AnyVisit>) {
  return async ({ call, params }: { call: Call; params?: { slug?: string; id?: string } }) => {
    const visit = findVisit(call, params?.slug ?? "");
    return sendResponse(call, await toResponse(visit, await respond(visit, idIn(params?.id))));
  };
}

async function toResponse(visit: Visit, result: AdminResult): Promise<HttpResponse> {
  const { call } = visit;
  if (typeof result === "string") return redirectWithToast(call, call.url.pathname, result);
  if ("main" in result) return adminResponse(visit, result);
  if (!("location" in result)) return result;
  const { location, toast } = result;
  return toast === undefined ? seeOther(location) : redirectWithToast(call, location, toast);
}

type FormHandler<AnyVisit> = (visit: AnyVisit, form: AdminForm, id: number) => Result;
type PageHandler<AnyVisit> = (visit: AnyVisit, id: number) => AdminPage | Promise<AdminPage>;

/** @param page shows the form again, with `visit.rejected`, if the handler throws field errors */
export function withForm<AnyVisit extends Visit>(
  respond: FormHandler<AnyVisit>,
  page?: PageHandler<AnyVisit>,
  maxBytes?: number,
): Respond<AnyVisit> {
  return async (visit, id) => {
    const form = await readAdminForm(visit, maxBytes);
    try {
      return await respond(visit, form, id);
    } catch (error) {
      if (!page) throw error;
      const rejected = form.rejected(error);
      return { status: ERROR_STATUS.invalid, ...(await page({ ...visit, rejected }, id)) };
    }
  };
}

/** The field `do`, which is the value of the pressed button, selects the action. */
export function withActions<AnyVisit extends Visit>(
  actions: Record<string, FormHandler<AnyVisit>>,
  page?: PageHandler<AnyVisit>,
): Respond<AnyVisit> {
  return withForm((visit, form, id) => actionNamed(actions, form.get("do"))(visit, form, id), page);
}

/** Allows frames for previews, and blob URLs for pictures and videos in the editor. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' blob: data:",
  "media-src 'self' blob:",
  "frame-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

export async function adminResponse(visit: Visit, page: AdminPage): Promise<HttpResponse> {
  const { call, blog } = visit;
  const toast = page.toast ?? pendingToast(call);
  const tags = (["frame", ...(page.scripts ?? [])] as const).map(scriptTag);
  const scripts = await Promise.all([...tags, ...(page.later ?? []).map(prefetchTag)]);
  const response = privatePageResponse(adminLayout(visit, page, toast, scripts), page.status, {
    "content-security-policy": POLICY,
    "referrer-policy": "same-origin",
    ...page.headers,
  });
  if (toast) response.headers.append("set-cookie", setCookie(call, "toast", "")["set-cookie"]);
  if (blog && readCookie(call, "blog") !== blog.slug)
    response.headers.append("set-cookie", setCookie(call, "blog", blog.slug)["set-cookie"]);
  return withEncodings(response);
}

async function adminErrorPage(refusal: Refusal, call: Call): Promise<HttpResponse> {
  try {
    return await refusalToVisitor(call, refusal);
  } catch (error) {
    // For example, an overlong header or a damaged database prevents reading the session.
    return ownerErrorPage(
      "That didn’t work",
      refusal.kind === "failed" ? refusal : toRefusal(call, "UNKNOWN", error),
    );
  }
}

async function refusalToVisitor(call: Call, refusal: Refusal): Promise<HttpResponse> {
  if (refusal.kind === "unauthorized") return seeOther(signInPath(requestedPage(call)));
  const title = refusal.kind === "missing" ? "Not found" : "That didn’t work";
  const visit = findVisit(call);
  if (!visit) return ownerErrorPage(title, refusal);
  return adminResponse(visit, {
    title,
    main: html`<h1>${title}</h1>
<p class="lead">${refusal.message}</p>
<p><a class="button" href="/admin">Go to Home</a></p>`,
    status: ERROR_STATUS[refusal.kind],
    headers: errorHeaders(refusal),
  });
}

/** For a POST, returns the page with the form, because the user cannot return to a POST. */
function requestedPage(call: Call): string {
  const { request, url } = call;
  const from = request.method === "POST" ? URL.parse(readReferer(request) ?? "") : null;
  const { pathname, search } = from?.origin === requestBase(call).origin ? from : url;
  return pathname + search;
}

export const adminRouter = (platen: Platen) => unparsedRouter(platen, "admin pages", adminErrorPage);

export function downloadResponse(body: HttpResponse["body"], type: string, filename: string): HttpResponse {
  const headers = new Headers({
    "content-type": type,
    "content-disposition": `attachment; filename="${filename}"`,
    "cache-control": CACHE_CONTROL.noStore,
    "x-content-type-options": "nosniff",
  });
  return { status: 200, headers, body };
}
