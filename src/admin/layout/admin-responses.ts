import type { Refusal } from "../../errors";
import type { Call } from "../../http/requests/call";
import { requestBase } from "../../http/requests/client-address";
import { readReferer } from "../../http/requests/headers";
import { CACHE_CONTROL } from "../../http/responses/cache-control";
import { withEncodings } from "../../http/responses/compression";
import { ERROR_STATUS, errorHeaders, toRefusal } from "../../http/responses/error-responses";
import { privatePageResponse } from "../../http/responses/html-responses";
import { type HttpResponse, seeOther } from "../../http/responses/response";
import { unparsedRouter } from "../../http/routing/router";
import { ownerErrorPage } from "../../owner/owner-page";
import { prefetchTag, scriptTag } from "../../owner/scripts/script-routes";
import { readCookie, setCookie } from "../../owner/session-cookie";
import { signInPath } from "../../owner/sign-in-routes";
import type { Platen } from "../../platen";
import { html } from "../../text/html";
import { type AdminPage, adminLayout } from "./admin-layout";
import { pendingToast } from "./toasts";
import { findVisit, type Visit } from "./visit";

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
