import { Elysia } from "elysia";
import { hasAccounts } from "../accounts/accounts";
import { blogUrl, homeBlog, placeOf, postUrl } from "../blogs/addresses";
import type { Blog } from "../blogs/blogs";
import { assetRoute } from "../http/assets";
import { sendPage, sendPrivatePage } from "../http/pages";
import { addressAsked, requestHost } from "../http/peer";
import type { Platen } from "../platen";
import { postAtSlug, postOnceAt } from "../posts/finding";
import { isLive } from "../posts/post";
import { homePage } from "./home";
import { styles } from "./layout";
import { faultPage, notAllowedPage, notFoundPage } from "./not-found";
import { notSetUpPage } from "./not-set-up";
import { postPage } from "./post";

/** The public pages of all blogs. Takes every address that no other door does. */
export const site = (platen: Platen) =>
  new Elysia({ name: "site" })
    .onError(({ error, request }) => {
      platen.log(`${request.method} ${request.url} failed: ${error instanceof Error ? error.stack : error}`);
      return sendPrivatePage(faultPage(), 500);
    })
    .use(assetRoute(styles))
    .all("/*", ({ request, server }) => {
      if (request.method !== "GET" && request.method !== "HEAD")
        return sendPage(request, notAllowedPage(), 405, { allow: "GET, HEAD" });
      return answer(platen, request, requestHost(platen, request, server));
    });

function answer(platen: Platen, request: Request, host: string): Response {
  const { pathname, search, searchParams } = addressAsked(request);
  if (pathname === "/" && !homeBlog(platen) && !hasAccounts(platen.db))
    return sendPrivatePage(notSetUpPage(platen));
  const place = placeOf(platen, host, pathname);
  if (!place) return sendPage(request, notFoundPage(platen), 404);

  const { blog, path } = place;
  const prefix = pathname.slice(0, pathname.length - path.length);
  if (!isAtItsAddress(platen, blog, host, prefix) || path === "")
    return moved(blogUrl(platen, blog) + path.slice(1) + search);
  if (path === "/") return home(platen, request, blog, searchParams.get("page"));
  return postAt(platen, request, blog, path, search);
}

/** Every blog has one address; asked for at another, it sends readers there. */
function isAtItsAddress(platen: Platen, blog: Blog, host: string, prefix: string): boolean {
  if (blog.domain && blog.domain !== host) return false;
  return `${prefix}/` === new URL(blogUrl(platen, blog)).pathname;
}

function home(platen: Platen, request: Request, blog: Blog, page: string | null): Response {
  const shown = homePage(platen, blog, page ?? "1");
  return shown ? sendPage(request, shown) : sendPage(request, notFoundPage(platen, blog), 404);
}

function postAt(platen: Platen, request: Request, blog: Blog, path: string, search: string): Response {
  const slug = slugIn(path);
  const post = slug === null ? undefined : postAtSlug(platen, blog, slug);
  if (post && isLive(post, platen.now())) {
    if (path.endsWith("/")) return moved(postUrl(platen, blog, post) + search);
    return sendPage(request, postPage(platen, post));
  }
  const once = slug === null ? undefined : postOnceAt(platen, blog, slug);
  if (once && isLive(once, platen.now())) return moved(postUrl(platen, blog, once) + search);
  return sendPage(request, notFoundPage(platen, blog), 404);
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
