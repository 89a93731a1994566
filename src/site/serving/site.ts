import { Elysia } from "elysia";
import { type Account, hasAccounts } from "../../accounts/accounts";
import { type Blog, blogWithDomain } from "../../blogs/blogs";
import { blogUrl, homeBlog, placeOf, postUrl } from "../../blogs/permalinks";
import type { Html } from "../../html";
import { discoveryHeaders } from "../../http/answers/endpoint-links";
import { refusalOf } from "../../http/answers/error-answers";
import { sendPage, sendPrivatePage } from "../../http/answers/html-answers";
import { type Call, callOf, calls } from "../../http/requests/call";
import { requestHost } from "../../http/requests/client-address";
import { signedIn } from "../../owner/session-cookie";
import type { Platen } from "../../platen";
import { isLive } from "../../posts/post/live";
import { postAtSlug } from "../../posts/reading/post-by-slug";
import { postMovedFrom } from "../../posts/side-tables/old-slug-redirects";
import { countView } from "../../posts/side-tables/view-counts";
import { sendDocument } from "../documents/document";
import { cardAt } from "../images/title-card";
import { komments } from "../komments/komment-routes";
import { notAllowedPage, notFoundPage, sendReaderRefusal } from "../layout/error-pages";
import { notSetUpPage } from "../pages/not-set-up-page";
import { postPage } from "../pages/post-page";
import { sharePage, unlistedPage } from "../pages/share-page";
import { PageCache } from "./page-cache";
import { documentAt, pageAt } from "./site-routes";
import { sheets } from "./stylesheet-routes";

type Answer = Response | Promise<Response>;

/** The public pages of all blogs. Takes every address that no other door does. */
export const site = (platen: Platen) => {
  const cache = new PageCache(platen);
  return new Elysia({ name: "site" })
    .use(calls(platen))
    .onError((caught) => sendReaderRefusal(refusalOf(caught)))
    .use(komments(platen))
    .use(sheets(platen))
    .all("/*", async ({ call }) => {
      const { request } = call;
      if (request.method !== "GET" && request.method !== "HEAD")
        return sendPage(request, notAllowedPage(), 405, { allow: "GET, HEAD" });
      const host = requestHost(call);
      const asked = plainAddress(call);
      const key = `${blogWithDomain(platen, host) ? host : ""} ${asked.pathname}?${readQuery(asked)}`;
      const read = (postId: number) => {
        if (isReader(request)) countView(platen, postId);
      };
      const render = (ofPost: OfPost) => answer(callOf(platen, new Request(asked), null), host, ofPost);
      const shown = await cache.answer(request, key, render, read);
      const account = shown.status === 404 ? signedIn(call) : null;
      return (account && ownPost(platen, account, host, asked.pathname)) ?? shown;
    });
};

/** What no server needs to tell from its plain spelling is spelled plainly: "/%61rchive" is "/archive" (RFC 3986 6.2.2.2). */
function plainAddress({ url }: Call): URL {
  const asked = new URL(url);
  asked.pathname = asked.pathname.replace(
    /%(?:2d|3\d|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])/gi,
    decodeURIComponent,
  );
  return asked;
}

/** Of a query, all that any page reads: what else comes along makes no page of its own. */
function readQuery({ searchParams }: URL): URLSearchParams {
  const read = ["page", "q"].filter((name) => searchParams.has(name));
  return new URLSearchParams(read.map((name) => [name, searchParams.get(name) ?? ""]));
}

/** Somebody who reads, as far as can be told: no fetching ahead, no program that says what it is. */
function isReader(request: Request): boolean {
  if (request.method !== "GET" || request.headers.has("sec-purpose")) return false;
  return !/bot|crawl|spider|slurp|preview|fetch|monitor|curl|wget|python|headless/i.test(
    request.headers.get("user-agent") ?? "bot",
  );
}

/** A draft's address is there for its owner, signed in: what an app says of a new draft leads somewhere. */
function ownPost(platen: Platen, account: Account, host: string, pathname: string): Response | null {
  const place = placeOf(platen, host, pathname);
  const slug = place && slugIn(place.path);
  const post = slug ? postAtSlug(platen, place.blog, slug) : undefined;
  if (!post || post.blog.accountId !== account.id) return null;
  const page = unlistedPage(platen, post, "You see it because it is yours.");
  return sendPrivatePage(page, 200, { "x-robots-tag": "noindex, nofollow" });
}

type OfPost = (postId: number) => void;

function answer({ platen, request, url }: Call, host: string, ofPost: OfPost): Answer {
  const { pathname, search } = url;
  const query = readQuery(url);
  if (pathname === "/" && !homeBlog(platen) && !hasAccounts(platen))
    return sendPrivatePage(notSetUpPage(platen));
  const [, shareId] = /^\/share\/([\w-]+)$/.exec(pathname) ?? [];
  if (shareId) return share(platen, request, shareId);
  const [, postId, look] = /^\/assets\/card\/(\d{1,15})\.([0-9a-f]+)\.png$/.exec(pathname) ?? [];
  if (postId && look) return card(platen, request, Number(postId), look);

  const place = placeOf(platen, host, pathname);
  if (!place) return show(platen, request, null);
  const { blog, path } = place;
  const prefix = pathname.slice(0, pathname.length - path.length);
  if (!isAtItsAddress(platen, blog, host, prefix) || path === "")
    return moved(blogUrl(platen, blog) + path.slice(1) + search);

  const visit = { platen, blog, query };
  const page = pageAt(path);
  if (page) return show(platen, request, page(visit), blog);
  const document = documentAt(path)?.(visit);
  if (document) return Promise.resolve(document).then((found) => sendDocument(request, found));
  if (/[^/]\/$/.test(path) && pageAt(path.slice(0, -1)))
    return moved(blogUrl(platen, blog) + path.slice(1, -1) + search);
  return postAt(platen, request, blog, path, search, ofPost);
}

/** Every blog has one address; asked for at another, it sends readers there. */
function isAtItsAddress(platen: Platen, blog: Blog, host: string, prefix: string): boolean {
  if (blog.domain && blog.domain !== host) return false;
  return `${prefix}/` === new URL(blogUrl(platen, blog)).pathname;
}

/** Kept nowhere: the link is dead the moment the owner shares no more. */
function share(platen: Platen, request: Request, shareId: string): Response {
  const page = sharePage(platen, shareId);
  if (!page) return show(platen, request, null);
  return sendPrivatePage(page, 200, { "x-robots-tag": "noindex, nofollow" });
}

async function card(platen: Platen, request: Request, postId: number, look: string): Promise<Response> {
  const body = await cardAt(platen, postId, look);
  if (!body) return show(platen, request, null);
  return sendDocument(request, { contentType: "image/png", body, isForGood: true });
}

function postAt(
  platen: Platen,
  request: Request,
  blog: Blog,
  path: string,
  search: string,
  ofPost: OfPost,
): Response {
  const slug = slugIn(path);
  const post = slug === null ? undefined : postAtSlug(platen, blog, slug);
  if (post && isLive(post, platen.now())) {
    if (path.endsWith("/")) return moved(postUrl(platen, blog, post) + search);
    ofPost(post.id);
    return show(platen, request, postPage(platen, post));
  }
  const once = slug === null ? undefined : postMovedFrom(platen, blog, slug);
  if (once && isLive(once, platen.now())) return moved(postUrl(platen, blog, once) + search);
  return show(platen, request, null, blog);
}

/** The page, or that there is none. Apps ask any page of a blog where they may write and sign in. */
function show(platen: Platen, request: Request, page: Html | null, blog?: Blog): Response {
  const headers = discoveryHeaders(platen);
  if (!page) return sendPage(request, notFoundPage(platen, blog), 404, headers);
  return sendPage(request, page, 200, headers);
}

/** "/my-post" and "/my-post/" → "my-post"; null where the path is of another kind, or not percent-encoded UTF-8. */
function slugIn(path: string): string | null {
  const encoded = /^\/([^/]+)\/?$/.exec(path)?.[1];
  try {
    return encoded ? decodeURIComponent(encoded) : null;
  } catch {
    return null;
  }
}

function moved(location: string): Response {
  return new Response(null, { status: 301, headers: { location, "cache-control": "no-cache" } });
}
