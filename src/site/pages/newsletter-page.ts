import { blogAtAddress } from "../../blogs/blog-addresses";
import { MAX_BYTES } from "../../config/request-limits";
import { forbidden, Refusal } from "../../errors";
import type { Call } from "../../http/requests/call";
import { requestHost } from "../../http/requests/client-address";
import { readForm } from "../../http/requests/request-body";
import { type HttpResponse, privatePageResponse, seeOther } from "../../http/responses/response";
import { NEWSLETTER, newsletterOf } from "../../newsletter/newsletter-settings";
import {
  askToSubscribe,
  confirmSubscription,
  leaveNewsletter,
  readerToConfirm,
} from "../../newsletter/subscribing-and-unsubscribing";
import { isSameOrigin } from "../../owner/csrf";
import { type Html, html } from "../../text/html";
import { type Word, word, wordHtml } from "../../text/words/words";
import { throttleMailRequests } from "../komments/komment-and-contact-forms";
import { backLink, buttonForm, type ReaderRequest, readerPage } from "../komments/reader-page-layout";
import { notAllowedPage } from "../layout/error-pages";
import { blogPath } from "../layout/layout";
import { HONEYPOT, subscribeForm } from "../subscribe-form";

export function newsletterResponse(call: Call): HttpResponse | Promise<HttpResponse> | null {
  const { platen, request, url } = call;
  if (!url.pathname.includes(`/${NEWSLETTER}`)) return null;
  const place = blogAtAddress(platen, requestHost(call), url.pathname);
  const [, kind, token = ""] =
    /^\/newsletter(?:\/(confirm|leave)\/([\w.-]{1,200}))?\/?$/.exec(place?.path ?? "") ?? [];
  // Links to confirm or unsubscribe still work after the newsletter is turned off.
  if (!place?.path.startsWith(`/${NEWSLETTER}`) || (!token && !newsletterOf(place.blog))) return null;
  if (token === "" && !/^\/newsletter\/?$/.test(place.path)) return null;
  if (!["GET", "HEAD", "POST"].includes(request.method))
    return privatePageResponse(notAllowedPage(), 405, { allow: "GET, HEAD, POST" });
  const isSubmitted = request.method === "POST";
  const readerRequest = { platen, blog: place.blog, call, isSubmitted };
  if (kind === "confirm") return confirmResponse(readerRequest, token);
  if (kind === "leave") return leaveResponse(readerRequest, token);
  return isSubmitted ? receiveForm(readerRequest) : formResponse(readerRequest);
}

const path = ({ platen, blog }: ReaderRequest, below = "") => blogPath(platen, blog) + NEWSLETTER + below;

function page({ platen, blog }: ReaderRequest, heading: Word, body: Html, status = 200) {
  return readerPage(platen, blog, word(blog, heading), body, { hasNoForm: true, status });
}

function formResponse(request: ReaderRequest, rejected?: { email: string; refusal: Refusal }): HttpResponse {
  const { platen, call, blog } = request;
  if (!rejected && call.url.searchParams.has("sent")) {
    const again = html`<a href="${path(request)}">${word(blog, "tryAgain")}</a>`;
    const sent = html`<p>${word(blog, "linkIsOnItsWay")}</p>
<p>${wordHtml(blog, "noMessage", { again })}</p>`;
    return page(request, "checkEmail", sent);
  }
  const { email, refusal } = rejected ?? {};
  const error = refusal && (refusal.fields?.address ? word(blog, "notAnAddress") : refusal.message);
  const body = html`<p>${word(blog, "newPostsByEmail", { title: blog.title })}</p>
${subscribeForm(blog, { base: blogPath(platen, blog), email, error })}`;
  return readerPage(platen, blog, word(blog, "newsletter"), body, { hasNoForm: true, refusal });
}

/** The response is the same for every valid address, so that it does not reveal who subscribes. */
async function receiveForm(request: ReaderRequest): Promise<HttpResponse> {
  const { call, blog } = request;
  if (isSameOrigin(call) === false)
    throw forbidden("This form was not sent from this site. Go back, reload and try again.");
  const form = await readForm(call.request, { email: MAX_BYTES.form, [HONEYPOT]: MAX_BYTES.form });
  const email = form.get("email") ?? "";
  try {
    throttleMailRequests(call);
    if (!form.get(HONEYPOT)) askToSubscribe(call.platen, blog, email);
    return seeOther(path(request, "?sent"));
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    return formResponse(request, { email, refusal });
  }
}

function confirmResponse(request: ReaderRequest, token: string): HttpResponse {
  const { platen, blog, isSubmitted } = request;
  const reader = (isSubmitted ? confirmSubscription : readerToConfirm)(platen, blog, token);
  if (!reader) {
    const again = html`<p>${word(blog, "linksLast")}</p>
<p><a href="${path(request)}">${word(blog, "subscribeAgain")}</a></p>`;
    return page(request, "linkNotValid", again, 404);
  }
  const values = { title: blog.title, address: html`<bdi>${reader.address}</bdi>` };
  if (isSubmitted) return donePage(request, "subscribed", wordHtml(blog, "willBeSentTo", values));
  const button = buttonForm(path(request, `/confirm/${token}`), word(blog, "subscribe"));
  const question = html`<p>${wordHtml(blog, "getPostsAt", values)}</p>\n${button}`;
  return page(request, "confirmSubscription", question);
}

function donePage(request: ReaderRequest, heading: Word, sentence: Html | string): HttpResponse {
  const { platen, blog } = request;
  return page(request, heading, html`<p>${sentence}</p>\n${backLink(platen, blog)}`);
}

/** One-click unsubscribe (RFC 8058) has neither session nor CSRF token: the link is the credential. */
function leaveResponse(request: ReaderRequest, token: string): HttpResponse {
  const { call, blog, isSubmitted } = request;
  const issue = Number(/^\d{1,15}$/.exec(call.url.searchParams.get("issue") ?? "")?.[0] ?? 0) || null;
  const { title } = blog;
  if (isSubmitted) {
    leaveNewsletter(call.platen, blog, token, issue);
    return donePage(request, "unsubscribed", word(blog, "noMoreMail", { title }));
  }
  const action = path(request, `/leave/${token}${issue ? `?issue=${issue}` : ""}`);
  const button = buttonForm(action, word(blog, "unsubscribe"));
  return page(request, "unsubscribe", html`<p>${word(blog, "stopNewsletter", { title })}</p>\n${button}`);
}
