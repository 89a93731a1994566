import { Elysia } from "elysia";
import { blogAtAddress } from "../../blogs/blog-addresses";
import { type Blog, blogUrl } from "../../blogs/blogs";
import { forbidden } from "../../errors";
import { type Call, calls } from "../../http/requests/call";
import { requestHost } from "../../http/requests/client-address";
import type { HttpResponse } from "../../http/responses/response";
import { privatePageResponse, redirect, sendResponse } from "../../http/responses/response";
import { takesKomments } from "../../komments/komment-rules-and-events";
import { takesMessages } from "../../messages";
import { isSameOrigin } from "../../owner/csrf";
import type { Platen } from "../../platen";
import { isLive, type Post } from "../../posts/post/post";
import { postAtSlug } from "../../posts/reading/finding-posts";
import { postWithOldSlug } from "../../posts/storage/slugs-and-permanent-ids";
import { decodeSegments } from "../../text/clean-text";
import { notAllowedPage, notFoundPage } from "../layout/error-pages";
import {
  contactForm,
  contactThanksPage,
  emptyReaderForm,
  isLinkSecret,
  kommentForm,
  kommentThanksPage,
  receiveReaderForm,
} from "./komment-and-contact-forms";
import { answerMailPage, ownKomment } from "./own-komment-and-answer-mail-pages";
import { kommentPath, type ReaderRequest } from "./reader-page-layout";

/** Each form has its own page, so that caches can store the pages of posts. */
export const komments = (platen: Platen) =>
  new Elysia({ name: "komments" })
    .use(calls(platen))
    .all("/komments/*", async ({ call }) => sendResponse(call, await respond(call)), { parse: "none" })
    .all("/:at/komments/*", async ({ call }) => sendResponse(call, await respond(call)), { parse: "none" });

function respond(call: Call): HttpResponse | Promise<HttpResponse> {
  const { platen, request } = call;
  const { pathname, search } = call.url;
  const host = requestHost(call);
  const place = blogAtAddress(platen, host, pathname);
  if (!place?.path.startsWith("/komments/")) return notFoundResponse(platen, place?.blog);

  const { blog, path } = place;
  const unslashed = path.endsWith("/") && path !== "/komments/" ? path.slice(1, -1) : path.slice(1);
  const address = new URL(blogUrl(platen, blog) + unslashed + search);
  if (address.pathname !== pathname || (blog.domain && blog.domain !== host))
    return permanentRedirect(address.href);
  if (!["GET", "HEAD", "POST"].includes(request.method))
    return privatePageResponse(notAllowedPage(), 405, { allow: "GET, HEAD, POST" });
  const isSubmitted = request.method === "POST";
  const readerRequest = { platen, blog, call, isSubmitted };
  const [slug = "", ...segments] = decodeSegments(path.slice("/komments/".length)) ?? [];
  const [first = "", second = ""] = segments;
  const isAnswerMail = slug === "answers" && segments.length === 2;
  const answerMail = isAnswerMail && answerMailPage(readerRequest, first, second);
  if (answerMail) return answerMail;
  if (isSubmitted && isSameOrigin(call) === false)
    throw forbidden("This form was not sent from this site. Go back, reload and try again.");

  const own = slug === "mine" && segments.length === 1 && ownKomment(readerRequest, first);
  if (own) return own;
  const post = postAtSlug(platen, blog, slug);
  if (post && isLive(post, platen.now())) return atPost(readerRequest, post, segments.join("/"));
  const renamedPost = postWithOldSlug(platen, blog, slug);
  if (!renamedPost || !isLive(renamedPost, platen.now())) return notFoundResponse(platen, blog);
  return permanentRedirect([kommentPath(platen, blog, renamedPost), ...segments].join("/") + search);
}

const FORMS = new Map([
  ["", takesKomments],
  ["contact", takesMessages],
]);

function atPost(request: ReaderRequest, post: Post, subpath: string): HttpResponse | Promise<HttpResponse> {
  const { platen, blog, call, isSubmitted } = request;
  const secret = call.url.searchParams.get("link") ?? "";
  if (!isSubmitted && subpath === "thanks" && isLinkSecret(secret))
    return kommentThanksPage(platen, post, secret);
  if (!isSubmitted && subpath === "contact/thanks") return contactThanksPage(platen, post);

  const at = platen.now();
  const accepts = FORMS.get(subpath);
  // After komments have closed, a submitted form is still processed, because the response repeats its text.
  if (!accepts || !(isSubmitted || accepts(post, at))) return notFoundResponse(platen, blog);
  const form = subpath === "contact" ? contactForm(platen, post) : kommentForm(platen, post);
  return isSubmitted ? receiveReaderForm(call, form) : emptyReaderForm(platen, form);
}

function notFoundResponse(platen: Platen, blog?: Blog): HttpResponse {
  return privatePageResponse(notFoundPage(platen, blog), 404);
}

/** Unlike after a 301, browsers send the form again after a 308. */
function permanentRedirect(location: string): HttpResponse {
  return redirect(308, location, { "cache-control": "no-cache" });
}
