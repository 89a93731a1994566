import type { Account } from "../../accounts/accounts";
import type { Blog } from "../../blogs/blogs";
import { blogAtAddress } from "../../blogs/finding-blogs";
import { postUrl } from "../../blogs/permalinks";
import { privatePageResponse, publicPageResponse } from "../../http/responses/html-responses";
import { type HttpResponse, redirect } from "../../http/responses/response";
import type { Platen } from "../../platen";
import { isLive, type Post } from "../../posts/post/post";
import { postAtSlug, sharedPost } from "../../posts/reading/finding-posts";
import { percentDecoded } from "../../text/clean-text";
import type { Html } from "../../text/html";
import { kommentsAsked, laterKommentsPage } from "../komments/later-komments-page";
import { discoveryHeaders } from "../layout/endpoint-links";
import { notFoundPage } from "../layout/error-pages";
import { postPage, shownContent } from "../pages/post-page";
import { sharePage, unlistedPage } from "../pages/share-page";
import type { PageRequest } from "./page-request";
import { countPageView } from "./readers-not-bots";
import { addressOfFormerFeed, addressOfOldSlug, movedTo } from "./redirects";

/** A response that is the same for every reader. */
export type PageAnswer = HttpResponse<string | Uint8Array<ArrayBuffer> | null>;

/** Who was given a link may see the page, and no search engine. */
const UNLISTED = { "x-robots-tag": "noindex, nofollow" };

/** @param path below the blog's address: "/my-post", or "/my-post/", which is redirected */
export function postAnswer(
  platen: Platen,
  blog: Blog,
  path: string,
  request: PageRequest,
): PageAnswer | Promise<PageAnswer> {
  const { query, search } = request;
  const slug = slugIn(path);
  const post = slug === null ? undefined : postAtSlug(platen, blog, slug);
  if (post && isLive(post, platen.now())) {
    if (path.endsWith("/")) return movedTo(postUrl(platen, blog, post) + search);
    const page = kommentsAsked(platen, post, query);
    if (page instanceof URL) return redirect(302, page.href, { "cache-control": "no-cache" });
    if (page > 1) return shown(platen, laterKommentsPage(platen, post, page));
    return livePostAnswer(platen, post, request);
  }
  const former = formerPathIn(path);
  const present =
    former === null
      ? null
      : (addressOfOldSlug(platen, blog, former) ?? addressOfFormerFeed(platen, blog, former));
  return present ? movedTo(present + search) : shown(platen, null, blog);
}

/** Its page, whose views are counted. */
export async function livePostAnswer(platen: Platen, post: Post, _asked: PageRequest): Promise<PageAnswer> {
  const onSent = (request: Request) => countPageView(platen, request, post);
  const activityUrl = await activityUrlOf(platen, post);
  const page = shown(platen, await postPage(platen, post, activityUrl));
  // Mastodon reads only the first Link header.
  if (activityUrl !== null) {
    const alternate = `<${activityUrl}>; rel="alternate"; type="application/activity+json"`;
    page.headers.set("link", `${alternate}, ${discoveryHeaders(platen).link}`);
  }
  return { ...page, onSent };
}

/** Imports the fediverse only for blogs that have turned it on. */
async function activityUrlOf(platen: Platen, post: Post): Promise<string | null> {
  if (!post.blog.reach?.fediverse) return null;
  const { currentObjectId } = await import("../../fediverse/post-objects");
  return currentObjectId(platen, post);
}

/** Not kept: the link ends at once when the owner shares no more. */
export async function shareAnswer(platen: Platen, shareId: string, _asked: PageRequest): Promise<PageAnswer> {
  const post = sharedPost(platen, shareId);
  const page = post && (await sharePage(platen, post));
  return page ? privatePageResponse(page, 200, UNLISTED) : shown(platen, null);
}

/** A post that is not live, for its signed-in owner: apps show the address of a draft they have just created. */
export async function ownPostAnswer(
  platen: Platen,
  account: Account,
  asked: PageRequest,
): Promise<HttpResponse | null> {
  const { host, path } = asked;
  const place = blogAtAddress(platen, host, path);
  const slug = place && slugIn(place.path);
  const post = slug ? postAtSlug(platen, place.blog, slug) : undefined;
  if (!post || post.blog.accountId !== account.id) return null;
  const content = shownContent(platen, post);
  const page = await unlistedPage(platen, post, content, "Only you can see it.");
  return privatePageResponse(page, 200, UNLISTED);
}

/** The page, or 404. Apps look for the endpoints in any page's headers. */
export function shown(platen: Platen, page: Html | null, blog?: Blog): PageAnswer {
  const headers = discoveryHeaders(platen);
  return page
    ? publicPageResponse(page, 200, headers)
    : publicPageResponse(notFoundPage(platen, blog), 404, headers);
}

/** "/my-post" and "/my-post/" → "my-post"; null where the path is of another kind, or not percent-encoded UTF-8. */
function slugIn(path: string): string | null {
  const former = formerPathIn(path);
  return former?.includes("/") ? null : former;
}

/** "/2013/05/my-post/" → "2013/05/my-post"; null where it is nothing, or not percent-encoded UTF-8. */
function formerPathIn(path: string): string | null {
  const encoded = path.slice(path.startsWith("/") ? 1 : 0, path.endsWith("/") ? -1 : undefined);
  return percentDecoded(encoded) || null;
}
