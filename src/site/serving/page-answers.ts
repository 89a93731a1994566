import { type Account, hasAccounts } from "../../accounts/accounts";
import type { Blog } from "../../blogs/blogs";
import { blogAtAddress, blogUrl, homeBlog, postUrl } from "../../blogs/permalinks";
import type { Html } from "../../html";
import { type Answer, redirect } from "../../http/answers/answer";
import { privatePage, publicPage } from "../../http/answers/html-answers";
import type { Platen } from "../../platen";
import { isLive } from "../../posts/post/live";
import { postAtSlug } from "../../posts/reading/post-by-slug";
import { postMovedFrom } from "../../posts/side-tables/old-slug-redirects";
import { documentAnswer } from "../documents/document";
import { cardAt } from "../images/title-card";
import { discoveryHeaders } from "../layout/endpoint-links";
import { notFoundPage } from "../layout/error-pages";
import { notSetUpPage } from "../pages/not-set-up-page";
import { postPage } from "../pages/post-page";
import { sharePage, unlistedPage } from "../pages/share-page";
import type { PageRequest } from "./page-request";
import { documentAt, pageAt } from "./site-routes";

/** What a blog answers to anybody. */
export interface PageAnswer extends Answer<string | Uint8Array<ArrayBuffer> | null> {
  /** The post whose page it is. */
  postId?: number;
}

/** What is at the address: a page, a document, a post, a redirect, or 404. */
export function pageAnswer(platen: Platen, request: PageRequest): PageAnswer | Promise<PageAnswer> {
  const { host, path, query, search } = request;
  if (path === "/" && !homeBlog(platen) && !hasAccounts(platen)) return privatePage(notSetUpPage(platen));
  const [, shareId] = /^\/share\/([\w-]+)$/.exec(path) ?? [];
  if (shareId) return shareAnswer(platen, shareId);
  const [, postId, look] = /^\/assets\/card\/(\d{1,15})\.([0-9a-f]+)\.png$/.exec(path) ?? [];
  if (postId && look) return cardAnswer(platen, Number(postId), look);

  const place = blogAtAddress(platen, host, path);
  if (!place) return shown(platen, null);
  const { blog, path: below } = place;
  const prefix = path.slice(0, path.length - below.length);
  if (!isAtItsAddress(platen, blog, host, prefix) || below === "")
    return moved(blogUrl(platen, blog) + below.slice(1) + search);

  const page = pageAt(below);
  if (page) return shown(platen, page({ platen, blog, query }), blog);
  const document = documentAt(below)?.({ platen, blog, query });
  if (document) return Promise.resolve(document).then(documentAnswer);
  if (/[^/]\/$/.test(below) && pageAt(below.slice(0, -1)))
    return moved(blogUrl(platen, blog) + below.slice(1, -1) + search);
  return postAnswer(platen, blog, below, search);
}

/** Every blog has one address; other ways to it are redirected there. */
function isAtItsAddress(platen: Platen, blog: Blog, host: string, prefix: string): boolean {
  if (blog.domain && blog.domain !== host) return false;
  return `${prefix}/` === new URL(blogUrl(platen, blog)).pathname;
}

/** Not kept: the link ends at once when the owner shares no more. */
function shareAnswer(platen: Platen, shareId: string): PageAnswer {
  const page = sharePage(platen, shareId);
  if (!page) return shown(platen, null);
  return privatePage(page, 200, { "x-robots-tag": "noindex, nofollow" });
}

async function cardAnswer(platen: Platen, postId: number, look: string): Promise<PageAnswer> {
  const body = await cardAt(platen, postId, look);
  if (!body) return shown(platen, null);
  return documentAnswer({ contentType: "image/png", body, isForGood: true });
}

function postAnswer(platen: Platen, blog: Blog, path: string, search: string): PageAnswer {
  const slug = slugIn(path);
  const post = slug === null ? undefined : postAtSlug(platen, blog, slug);
  if (post && isLive(post, platen.now())) {
    if (path.endsWith("/")) return moved(postUrl(platen, blog, post) + search);
    return { ...shown(platen, postPage(platen, post)), postId: post.id };
  }
  const present = slug === null ? undefined : postMovedFrom(platen, blog, slug);
  if (present && isLive(present, platen.now())) return moved(postUrl(platen, blog, present) + search);
  return shown(platen, null, blog);
}

/** The page, or 404. Apps look for the endpoints in any page's headers. */
function shown(platen: Platen, page: Html | null, blog?: Blog): PageAnswer {
  const headers = discoveryHeaders(platen);
  return page ? publicPage(page, 200, headers) : publicPage(notFoundPage(platen, blog), 404, headers);
}

/** A post that is not live, for its signed-in owner: apps show the address of a draft they have just created. */
export function ownPostAnswer(platen: Platen, account: Account, { host, path }: PageRequest): Answer | null {
  const place = blogAtAddress(platen, host, path);
  const slug = place && slugIn(place.path);
  const post = slug ? postAtSlug(platen, place.blog, slug) : undefined;
  if (!post || post.blog.accountId !== account.id) return null;
  const page = unlistedPage(platen, post, "You see it because it is yours.");
  return privatePage(page, 200, { "x-robots-tag": "noindex, nofollow" });
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

function moved(location: string): PageAnswer {
  return redirect(301, location, { "cache-control": "no-cache" });
}
