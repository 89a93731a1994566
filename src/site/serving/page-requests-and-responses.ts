import { type Account, hasAccounts } from "../../accounts/accounts";
import { blogAtAddress, blogAtHost } from "../../blogs/blog-addresses";
import { type Blog, blogUrl, homeBlog, postUrl } from "../../blogs/blogs";
import { currentObjectId } from "../../fediverse/post-and-reply-activities";
import type { Call } from "../../http/requests/call";
import { requestHost } from "../../http/requests/client-address";
import {
  CACHE_CONTROL,
  etagOf,
  type HttpResponse,
  privatePageResponse,
  publicPageResponse,
  redirect,
} from "../../http/responses/response";
import { hasWebmentions } from "../../mentions/mention-settings";
import type { Platen } from "../../platen";
import { isLive, type Post } from "../../posts/post/post";
import { postAtSlug, sharedPost, wasPostDeleted } from "../../posts/reading/finding-posts";
import { homePost } from "../../posts/reading/navigation-and-home";
import { postOfRow } from "../../posts/storage/stored-posts";
import { percentDecoded } from "../../text/clean-text";
import type { Html } from "../../text/html";
import { cardAt } from "../images/title-cards-and-icons";
import { KOMMENT_QUERY, laterKommentsPage, requestedKommentPage } from "../komments/komment-section";
import { notFoundPage, notSetUpPage } from "../layout/error-pages";
import { pageNumber } from "../layout/pagination-and-search-form";
import { discoveryHeaders } from "../layout/social-tags-and-discovery";
import { contentForReaders, postPage, sharePage, unlistedPage } from "../pages/post-and-share-pages";
import type { Document } from "../route-types";
import {
  addressOfFormerFeed,
  addressOfFormerTopic,
  addressOfNumber,
  addressOfOldSlug,
  canonicalBlogUrl,
  permanentRedirect,
} from "./redirects";
import { routeAt } from "./site-routes";
import { countPageView } from "./view-counting";

export async function pageResponse(platen: Platen, request: PageRequest): Promise<PageResponse> {
  const { host, path, query, search } = request;
  if (path === "/" && !homeBlog(platen) && !hasAccounts(platen))
    return privatePageResponse(notSetUpPage(platen));
  const [, shareId] = /^\/share\/([\w-]+)$/.exec(path) ?? [];
  if (shareId) return shareResponse(platen, shareId);
  const [, postId, fingerprint] = /^\/assets\/card\/(\d{1,15})\.([0-9a-f]+)\.png$/.exec(path) ?? [];
  if (postId && fingerprint) return cardResponse(platen, Number(postId), fingerprint);

  const place = blogAtAddress(platen, host, path);
  if (!place) return htmlResponse(platen, null);
  const { blog, path: below } = place;
  const canonical = canonicalBlogUrl(platen, place, request);
  if (canonical) return permanentRedirect(canonical + search);

  const numbered = addressOfNumber(platen, blog, below, query);
  if (numbered) return permanentRedirect(numbered);
  const home = below === "/" && !query.has("page") ? homePost(platen, blog) : undefined;
  if (home) return livePostResponse(platen, postOfRow(platen, home, blog));
  const route = routeAt(below);
  const page = pageNumber(query);
  const shown = page === null ? null : await route?.show({ platen, blog, query, page });
  if (shown) return "contentType" in shown ? documentResponse(shown) : htmlResponse(platen, shown, blog);
  const topicUrl = addressOfFormerTopic(platen, blog, below);
  if (topicUrl) return permanentRedirect(topicUrl + search);
  if (route) return htmlResponse(platen, null, blog);
  if (/[^/]\/$/.test(below) && routeAt(below.slice(0, -1)))
    return permanentRedirect(blogUrl(platen, blog) + below.slice(1, -1) + search);
  return postResponse(platen, blog, below, request);
}

async function cardResponse(platen: Platen, postId: number, fingerprint: string): Promise<PageResponse> {
  const body = await cardAt(platen, postId, fingerprint);
  if (!body) return htmlResponse(platen, null);
  return documentResponse({ contentType: "image/png", body, isImmutable: true });
}

/** Has no Last-Modified header, because a deleted post changes the document but no date. */
function documentResponse({ contentType, body, isImmutable, links }: Document) {
  const headers = new Headers({
    "content-type": contentType,
    "cache-control": isImmutable ? CACHE_CONTROL.immutable : CACHE_CONTROL.publicNoCache,
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    // Scripts of other sites may read feeds.
    "access-control-allow-origin": "*",
    etag: etagOf(body),
    ...(links && { link: links }),
  });
  return { status: 200, headers, body: body as string | Uint8Array<ArrayBuffer> };
}

/** Must not depend on the reader, because the response cache sends it to everybody. */
export type PageResponse = HttpResponse<string | Uint8Array<ArrayBuffer> | null>;

const UNLISTED = { "x-robots-tag": "noindex, nofollow" };

function postResponse(platen: Platen, blog: Blog, path: string, request: PageRequest) {
  const { query, search } = request;
  const slug = slugIn(path);
  const post = slug === null ? undefined : postAtSlug(platen, blog, slug);
  if (post && isLive(post, platen.now())) {
    if (path.endsWith("/")) return permanentRedirect(postUrl(platen, blog, post) + search);
    const page = requestedKommentPage(platen, post, query);
    if (page instanceof URL) return redirect(302, page.href, { "cache-control": "no-cache" });
    if (page > 1) return htmlResponse(platen, laterKommentsPage(platen, post, page));
    return livePostResponse(platen, post);
  }
  const oldPath = formerPathIn(path) ?? "";
  const currentUrl = addressOfOldSlug(platen, blog, oldPath) ?? addressOfFormerFeed(platen, blog, oldPath);
  if (currentUrl) return permanentRedirect(currentUrl + search);
  // Other sites delete webmentions from the post after a 410, but not after a 404 (W3C Webmention 3.2.4).
  const isGone = slug !== null && hasWebmentions(blog) && wasPostDeleted(platen, blog, slug);
  return htmlResponse(platen, null, blog, isGone ? 410 : 404);
}

function livePostResponse(platen: Platen, post: Post): PageResponse {
  const onSent = (request: Request) => countPageView(platen, request, post);
  const activityUrl = currentObjectId(platen, post);
  const page = htmlResponse(platen, postPage(platen, post, activityUrl));
  // Mastodon reads only the first Link header.
  if (activityUrl !== null) {
    const alternate = `<${activityUrl}>; rel="alternate"; type="application/activity+json"`;
    page.headers.set("link", `${alternate}, ${discoveryHeaders(platen).link}`);
  }
  return { ...page, onSent };
}

/** The response is not cached, because the link must stop working as soon as the owner stops sharing. */
function shareResponse(platen: Platen, shareId: string): PageResponse {
  const post = sharedPost(platen, shareId);
  return post ? privatePageResponse(sharePage(platen, post), 200, UNLISTED) : htmlResponse(platen, null);
}

/** Apps link to a draft that they have just created. This page shows it to its signed-in owner. */
export function ownPostResponse(platen: Platen, account: Account, pageRequest: PageRequest) {
  const { host, path } = pageRequest;
  const place = blogAtAddress(platen, host, path);
  const slug = place && slugIn(place.path);
  const post = slug ? postAtSlug(platen, place.blog, slug) : undefined;
  if (!post || post.blog.accountId !== account.id) return null;
  const content = contentForReaders(platen, post);
  const page = unlistedPage(platen, post, content, "Only you can see this page.");
  return privatePageResponse(page, 200, UNLISTED);
}

/**
 * Micropub and IndieAuth apps find their endpoints in the headers of public pages.
 * @param page null for a 404
 */
function htmlResponse(platen: Platen, page: Html | null, blog?: Blog, missing?: 404 | 410): PageResponse {
  const shown = page ?? notFoundPage(platen, blog, missing);
  return publicPageResponse(shown, page ? 200 : (missing ?? 404), discoveryHeaders(platen));
}

/** "/my-post" and "/my-post/" → "my-post"; null for several segments, "/" and invalid percent-encoding. */
function slugIn(path: string): string | null {
  const oldPath = formerPathIn(path);
  return oldPath?.includes("/") ? null : oldPath;
}

/** "/2013/05/my-post/" → "2013/05/my-post"; null for "/" and for invalid percent-encoding. */
function formerPathIn(path: string): string | null {
  const encoded = path.slice(path.startsWith("/") ? 1 : 0, path.endsWith("/") ? -1 : undefined);
  return percentDecoded(encoded) || null;
}

/** A cached page must not depend on anything else in the request. */
export interface PageRequest {
  host: string;
  path: string;
  query: URLSearchParams;
  /** The whole query. Only redirects use it, because they are not cached. */
  search: string;
}

export function pageRequestOf(call: Call): PageRequest {
  const { pathname, search, searchParams } = call.url;
  const path = plainPath(pathname);
  const belowBlog = path.replace(/^\/@[^/]+/, "");
  const reads: readonly string[] = search === "" ? [] : (routeAt(belowBlog)?.reads ?? KOMMENT_QUERY);
  const read = reads.filter((name) => searchParams.has(name));
  return {
    host: requestHost(call),
    path,
    query: new URLSearchParams(read.map((name) => [name, searchParams.get(name) ?? ""])),
    search,
  };
}

/** Cache key of a page. Unknown hosts share a key, so that invented hosts do not fill the cache. */
export function plainAddress(platen: Platen, { host, path, query }: PageRequest): string {
  const base = new URL(platen.config.url);
  if (blogAtHost(platen, host)) base.hostname = host;
  return `http://${base.host}${path}${query.size > 0 ? `?${query}` : ""}`;
}

/** Decodes unreserved characters except ".": "/%61rchive" is "/archive" (RFC 3986 6.2.2.2). */
function plainPath(path: string): string {
  return path.replace(/%(?:2d|3\d|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])/gi, decodeURIComponent);
}
