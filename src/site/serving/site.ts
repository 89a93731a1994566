import { Elysia } from "elysia";
import { type Account, hasAccounts } from "../../accounts/accounts";
import { type Blog, blogWithDomain } from "../../blogs/blogs";
import { blogAtAddress, blogUrl, homeBlog, postUrl } from "../../blogs/permalinks";
import type { Html } from "../../html";
import { type Answer, redirect, type TextAnswer } from "../../http/answers/answer";
import { refusalOf } from "../../http/answers/error-answers";
import { privatePage, publicPage } from "../../http/answers/html-answers";
import { send } from "../../http/answers/sending";
import { type Call, calls } from "../../http/requests/call";
import { requestHost } from "../../http/requests/client-address";
import { signedIn } from "../../owner/session-cookie";
import type { Platen } from "../../platen";
import { isLive } from "../../posts/post/live";
import { postAtSlug } from "../../posts/reading/post-by-slug";
import { postMovedFrom } from "../../posts/side-tables/old-slug-redirects";
import { countView } from "../../posts/side-tables/view-counts";
import { documentAnswer } from "../documents/document";
import { cardAt } from "../images/title-card";
import { komments } from "../komments/komment-routes";
import { discoveryHeaders } from "../layout/endpoint-links";
import { notAllowedPage, notFoundPage, refusalAnswer } from "../layout/error-pages";
import { notSetUpPage } from "../pages/not-set-up-page";
import { postPage } from "../pages/post-page";
import { sharePage, unlistedPage } from "../pages/share-page";
import { PageCache, type Shown } from "./page-cache";
import { documentAt, pageAt, queryReadAt } from "./site-routes";
import { stylesheets } from "./stylesheet-routes";

/** The public pages of all blogs. Takes every address that no other door does. */
export const site = (platen: Platen) => {
  const cache = new PageCache(platen);
  return new Elysia({ name: "site" })
    .use(calls(platen))
    .onError((caught) => send(caught.call, refusalAnswer(refusalOf(caught))))
    .use(komments(platen))
    .use(stylesheets(platen))
    .all("/*", async ({ call }) => send(call, await answer(call, cache)));
};

/** All that a page depends on: two requests that ask the same are shown the same. */
interface PageRequest {
  host: string;
  path: string;
  /** What is read of the query by what is at the path: the rest makes no page of its own. */
  query: URLSearchParams;
  /** The whole query, for an address to be sent on to: what is kept must not depend on it. */
  search: string;
}

async function answer(call: Call, cache: PageCache): Promise<Answer> {
  const { platen, request } = call;
  if (request.method !== "GET" && request.method !== "HEAD")
    return publicPage(notAllowedPage(), 405, { allow: "GET, HEAD" });
  const asked = pageRequestOf(call);
  const { host, path, query } = asked;
  const key = `${blogWithDomain(platen, host) ? host : ""} ${path}?${query}`;
  const shown = await cache.shown(key, () => shownAt(platen, asked));
  if (shown.postId !== undefined && isReader(request)) countView(platen, shown.postId);
  const account = shown.status === 404 ? signedIn(call) : null;
  return (account && ownPost(platen, account, asked)) ?? shown;
}

function pageRequestOf(call: Call): PageRequest {
  const { pathname, search, searchParams } = call.url;
  const path = plainPath(pathname);
  // Whether or not there is such a blog: without one, there is nothing that reads.
  const belowBlog = path.replace(/^\/@[^/]+/, "");
  const read = search === "" ? [] : queryReadAt(belowBlog).filter((name) => searchParams.has(name));
  return {
    host: requestHost(call),
    path,
    query: new URLSearchParams(read.map((name) => [name, searchParams.get(name) ?? ""])),
    search,
  };
}

/** What no server needs to tell from its plain spelling is spelled plainly: "/%61rchive" is "/archive" (RFC 3986 6.2.2.2). */
function plainPath(path: string): string {
  return path.replace(/%(?:2d|3\d|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])/gi, decodeURIComponent);
}

/** Somebody who reads, as far as can be told: no fetching ahead, no program that says what it is. */
function isReader(request: Request): boolean {
  if (request.method !== "GET" || request.headers.has("sec-purpose")) return false;
  return !/bot|crawl|spider|slurp|preview|fetch|monitor|curl|wget|python|headless/i.test(
    request.headers.get("user-agent") ?? "bot",
  );
}

/** A draft's address is there for its owner, signed in: what an app says of a new draft leads somewhere. */
function ownPost(platen: Platen, account: Account, { host, path }: PageRequest): Answer | null {
  const place = blogAtAddress(platen, host, path);
  const slug = place && slugIn(place.path);
  const post = slug ? postAtSlug(platen, place.blog, slug) : undefined;
  if (!post || post.blog.accountId !== account.id) return null;
  const page = unlistedPage(platen, post, "You see it because it is yours.");
  return privatePage(page, 200, { "x-robots-tag": "noindex, nofollow" });
}

function shownAt(platen: Platen, asked: PageRequest): Shown | Promise<Shown> {
  const { host, path, query, search } = asked;
  if (path === "/" && !homeBlog(platen) && !hasAccounts(platen)) return privatePage(notSetUpPage(platen));
  const [, shareId] = /^\/share\/([\w-]+)$/.exec(path) ?? [];
  if (shareId) return share(platen, shareId);
  const [, postId, look] = /^\/assets\/card\/(\d{1,15})\.([0-9a-f]+)\.png$/.exec(path) ?? [];
  if (postId && look) return card(platen, Number(postId), look);

  const place = blogAtAddress(platen, host, path);
  if (!place) return pageAnswer(platen, null);
  const { blog, path: below } = place;
  const prefix = path.slice(0, path.length - below.length);
  if (!isAtItsAddress(platen, blog, host, prefix) || below === "")
    return moved(blogUrl(platen, blog) + below.slice(1) + search);

  const page = pageAt(below);
  if (page) return pageAnswer(platen, page({ platen, blog, query }), blog);
  const document = documentAt(below)?.({ platen, blog, query });
  if (document) return Promise.resolve(document).then(documentAnswer);
  if (/[^/]\/$/.test(below) && pageAt(below.slice(0, -1)))
    return moved(blogUrl(platen, blog) + below.slice(1, -1) + search);
  return postAt(platen, blog, below, search);
}

/** Every blog has one address; asked for at another, it sends readers there. */
function isAtItsAddress(platen: Platen, blog: Blog, host: string, prefix: string): boolean {
  if (blog.domain && blog.domain !== host) return false;
  return `${prefix}/` === new URL(blogUrl(platen, blog)).pathname;
}

/** Kept nowhere: the link is dead the moment the owner shares no more. */
function share(platen: Platen, shareId: string): Shown {
  const page = sharePage(platen, shareId);
  if (!page) return pageAnswer(platen, null);
  return privatePage(page, 200, { "x-robots-tag": "noindex, nofollow" });
}

async function card(platen: Platen, postId: number, look: string): Promise<Shown> {
  const body = await cardAt(platen, postId, look);
  if (!body) return pageAnswer(platen, null);
  return documentAnswer({ contentType: "image/png", body, isForGood: true });
}

function postAt(platen: Platen, blog: Blog, path: string, search: string): Shown {
  const slug = slugIn(path);
  const post = slug === null ? undefined : postAtSlug(platen, blog, slug);
  if (post && isLive(post, platen.now())) {
    if (path.endsWith("/")) return moved(postUrl(platen, blog, post) + search);
    return { ...pageAnswer(platen, postPage(platen, post)), postId: post.id };
  }
  const once = slug === null ? undefined : postMovedFrom(platen, blog, slug);
  if (once && isLive(once, platen.now())) return moved(postUrl(platen, blog, once) + search);
  return pageAnswer(platen, null, blog);
}

/** The page, or that there is none. Apps ask any page of a blog where they may write and sign in. */
function pageAnswer(platen: Platen, page: Html | null, blog?: Blog): TextAnswer {
  const headers = discoveryHeaders(platen);
  return page ? publicPage(page, 200, headers) : publicPage(notFoundPage(platen, blog), 404, headers);
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

function moved(location: string): Shown {
  return redirect(301, location, { "cache-control": "no-cache" });
}
