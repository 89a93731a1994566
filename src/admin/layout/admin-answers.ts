import type { Refusal } from "../../errors";
import type { Call } from "../../http/requests/call";
import { requestBase } from "../../http/requests/client-address";
import { readHeader, readReferer } from "../../http/requests/headers";
import { compressible } from "../../http/responses/compression";
import { ERROR_STATUS, errorHeaders, toRefusal } from "../../http/responses/error-responses";
import { privatePageResponse } from "../../http/responses/html-responses";
import { type HttpResponse, seeOther } from "../../http/responses/response";
import { ownerRefusal } from "../../owner/owner-answers";
import type { ScriptName } from "../../owner/scripts/entry-points";
import { laterTag, scriptTag } from "../../owner/scripts/script-routes";
import { readCookie, setCookie } from "../../owner/session-cookie";
import { signInPath } from "../../owner/sign-in/sign-in-routes";
import { html } from "../../text/html";
import { type AdminPage, adminLayout } from "./admin-layout";
import { type Toast, toastLeft } from "./toasts-and-undo";
import { type Visit, visitIfAny } from "./visit";

/** contract.md 8. What a post embeds may be from elsewhere; the page itself asks for nothing there. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' blob: data:",
  "media-src 'self' blob:",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
];

export interface AdminAnswer extends AdminPage {
  status?: number;
  headers?: Record<string, string>;
  /** Besides the frame's own. */
  scripts?: ScriptName[];
  /** That these run when they want them. */
  later?: ScriptName[];
  /** In the place of what the page before left to tell. */
  toast?: Toast;
  /** More of the policy: "frame-src 'self'". A directive that is there already is replaced. */
  policy?: string[];
}

/** A page of the admin; the blog it is about is from now on the one used last. */
export async function adminAnswer(visitor: Visit, page: AdminAnswer): Promise<HttpResponse> {
  const { call, blog } = visitor;
  const toast = page.toast ?? toastLeft(call);
  const tags = (["frame", ...(page.scripts ?? [])] as const).map(scriptTag);
  const scripts = await Promise.all([...tags, ...(page.later ?? []).map(laterTag)]);
  const answer = privatePageResponse(adminLayout(visitor, page, toast, scripts), page.status, {
    "content-security-policy": policyWith(page.policy ?? []),
    "referrer-policy": "same-origin",
    ...page.headers,
  });
  if (toast) answer.headers.append("set-cookie", setCookie(call, "toast", "")["set-cookie"]);
  if (blog && readCookie(call, "blog") !== blog.slug)
    answer.headers.append("set-cookie", setCookie(call, "blog", blog.slug)["set-cookie"]);
  const packed = compressible(answer);
  await packed.ready?.(readHeader(call.request, "accept-encoding"));
  return packed;
}

function policyWith(directives: string[]): string {
  const nameOf = (directive: string) => directive.split(" ")[0];
  const kept = POLICY.filter((one) => !directives.some((other) => nameOf(other) === nameOf(one)));
  return [...kept, ...directives].join("; ");
}

/** What was not done, and why. Who is not signed in is led to signing in, and back to the page that was asked for. */
export async function adminRefusal(refusal: Refusal, call: Call): Promise<HttpResponse> {
  try {
    return await refusalToVisitor(call, refusal);
  } catch (fault) {
    // Who asks cannot be told: by a header that is too long, or as the database does not answer.
    return ownerRefusal("Not done", refusal.kind === "failed" ? refusal : toRefusal(call, "UNKNOWN", fault));
  }
}

async function refusalToVisitor(call: Call, refusal: Refusal): Promise<HttpResponse> {
  if (refusal.kind === "unauthorized") return seeOther(signInPath(pageAskedFor(call)));
  const title = refusal.kind === "missing" ? "Not here" : "Not done";
  const visitor = visitIfAny(call);
  if (!visitor) return ownerRefusal(title, refusal);
  return adminAnswer(visitor, {
    title,
    main: html`<h1>${title}</h1>
<p class="lead">${refusal.message}</p>
<p><a class="button" href="/admin">To the start</a></p>`,
    status: ERROR_STATUS[refusal.kind],
    headers: errorHeaders(refusal),
  });
}

/** Where a form is sent to there may be no page: then it is the one that the form is on. */
function pageAskedFor(call: Call): string {
  const { request, url } = call;
  const from = request.method === "POST" ? URL.parse(readReferer(request) ?? "") : null;
  const { pathname, search } = from?.origin === requestBase(call).origin ? from : url;
  return pathname + search;
}
