/** The pages of a newsletter. Opening a link never acts, because mail scanners open all links; a button does. */
import type { Blog } from "../../blogs/blogs";
import { blogAtAddress } from "../../blogs/finding-blogs";
import { MAX_BYTES } from "../../config/request-limits";
import { HOUR } from "../../config/units";
import { forbidden, Refusal } from "../../errors";
import { readForm } from "../../http/forms/form-body";
import type { Call } from "../../http/requests/call";
import { requestHost } from "../../http/requests/client-address";
import { throttleClient } from "../../http/requests/rate-limits";
import { ERROR_STATUS, errorHeaders } from "../../http/responses/error-responses";
import { privatePageResponse } from "../../http/responses/html-responses";
import { type HttpResponse, seeOther } from "../../http/responses/response";
import { askToSubscribe } from "../../newsletter/confirmation-mail";
import { NEWSLETTER, newsletterOf } from "../../newsletter/newsletter-settings";
import { confirmSubscription, leaveNewsletter, readerToConfirm } from "../../newsletter/subscribing";
import { isSameOrigin } from "../../owner/csrf";
import { type Html, html } from "../../text/html";
import { notAllowedPage } from "../layout/error-pages";
import { blogLayout, blogPath } from "../layout/layout";
import { HONEYPOT, subscribeForm } from "../subscribe-form";

/** Requests of one reader. */
const REQUEST_LIMIT = { most: 5, within: HOUR };

interface PageCall {
  call: Call;
  blog: Blog;
  isSubmitted: boolean;
}

/** The response of a newsletter's page; null if the path is another page. */
export function newsletterAnswer(call: Call): HttpResponse | Promise<HttpResponse> | null {
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
  const asked = { call, blog: place.blog, isSubmitted: request.method === "POST" };
  if (kind === "confirm") return confirmAnswer(asked, token);
  if (kind === "leave") return leaveAnswer(asked, token);
  return asked.isSubmitted ? receiveForm(asked) : formAnswer(asked);
}

const path = ({ call, blog }: PageCall, below = "") => `${blogPath(call.platen, blog)}${NEWSLETTER}${below}`;

function page({ call, blog }: PageCall, title: string, body: Html, status = 200, headers = {}): HttpResponse {
  const shown = blogLayout(call.platen, blog, {
    title,
    isUnlisted: true,
    isInEnglish: true,
    hasNoForm: true,
    main: html`<h1>${title}</h1>\n${body}`,
  });
  // Not "no-referrer": browsers would send the form's Origin as "null".
  return privatePageResponse(shown, status, { "referrer-policy": "same-origin", ...headers });
}

function formAnswer(asked: PageCall, typed?: { email: string; refusal: Refusal }): HttpResponse {
  const { call, blog } = asked;
  if (!typed && call.url.searchParams.has("sent"))
    return page(
      asked,
      "Check your e-mail",
      html`<p>If this address is not subscribed yet, a message with a link is on its way. Open the link to confirm.</p>
<p>No message? Look into the spam folder, or <a href="${path(asked)}">try again</a>.</p>`,
    );
  const { email, refusal } = typed ?? {};
  const fault =
    refusal && (refusal.fields?.address?.map((says) => `The address ${says}.`).join(" ") ?? refusal.message);
  return page(
    asked,
    "Newsletter",
    html`<p>New posts of ${blog.title}, by e-mail. You can unsubscribe at any time.</p>
${subscribeForm(blog, { base: blogPath(call.platen, blog), email, fault })}`,
    refusal ? ERROR_STATUS[refusal.kind] : 200,
    refusal && errorHeaders(refusal),
  );
}

/** Answers the same for every address, so that nobody learns who subscribes. */
async function receiveForm(asked: PageCall): Promise<HttpResponse> {
  const { call, blog } = asked;
  if (isSameOrigin(call) === false) throw forbidden("This form was not sent from this site.");
  const form = await readForm(call.request, { email: MAX_BYTES.form, [HONEYPOT]: MAX_BYTES.form });
  const email = form.get("email") ?? "";
  try {
    throttleClient(call, REQUEST_LIMIT);
    if (!form.get(HONEYPOT)) askToSubscribe(call.platen, blog, email);
    return seeOther(path(asked, "?sent"));
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    return formAnswer(asked, { email, refusal });
  }
}

function confirmAnswer(asked: PageCall, token: string): HttpResponse {
  const { call, blog, isSubmitted } = asked;
  const { platen } = call;
  const reader = (isSubmitted ? confirmSubscription : readerToConfirm)(platen, blog, token);
  if (!reader)
    return page(
      asked,
      "This link is no longer valid",
      html`<p>Links are valid for 7 days. <a href="${path(asked)}">Subscribe again</a> to get a new one.</p>`,
      404,
    );
  if (isSubmitted)
    return page(
      asked,
      "You are subscribed",
      html`<p>New posts of ${blog.title} will be sent to <bdi>${reader.address}</bdi>.</p>
<p><a href="${blogPath(platen, blog)}">Read ${blog.title}</a></p>`,
    );
  return page(
    asked,
    "Confirm your subscription",
    html`<p>Get new posts of ${blog.title} at <bdi>${reader.address}</bdi>?</p>
${button(path(asked, `/confirm/${token}`), "Subscribe")}`,
  );
}

/** One-click unsubscribe (RFC 8058) has neither session nor form token: the link is the credential. */
function leaveAnswer(asked: PageCall, token: string): HttpResponse {
  const { call, blog, isSubmitted } = asked;
  const issue = Number(/^\d{1,15}$/.exec(call.url.searchParams.get("issue") ?? "")?.[0] ?? 0) || null;
  if (isSubmitted) {
    leaveNewsletter(call.platen, blog, token, issue);
    return page(
      asked,
      "You are unsubscribed",
      html`<p>${blog.title} will send you no more e-mail.</p>
<p><a href="${blogPath(call.platen, blog)}">Back to ${blog.title}</a></p>`,
    );
  }
  return page(
    asked,
    "Unsubscribe",
    html`<p>Stop getting new posts of ${blog.title} by e-mail?</p>
${button(path(asked, `/leave/${token}${issue ? `?issue=${issue}` : ""}`), "Unsubscribe")}`,
  );
}

function button(action: string, label: string): Html {
  return html`<form class="reader-form" method="post" action="${action}"><button>${label}</button></form>`;
}
