import type { Blog } from "../../blogs/blogs";
import { notFound } from "../../errors";
import type { Call } from "../../http/requests/call";
import { privatePageResponse } from "../../http/responses/html-responses";
import { type HttpResponse, sendResponse } from "../../http/responses/response";
import type { Platen } from "../../platen";
import { publicPosts } from "../../posts/reading/public-posts";
import { postOfRow } from "../../posts/storage/stored-posts";
import { type Html, html, raw } from "../../text/html";
import { homePage } from "../pages/home-page";
import { postPage } from "../pages/post-page";
import { previewSheet, stylesheetOf, withLook } from "../styles/blog-stylesheet";
import { allowOwnFrames, ownBlog, previewRouter } from "./own-frames";

export const looks = (platen: Platen) =>
  previewRouter(platen, "looks").get("/admin/blogs/:slug/look/:page", async ({ call, params }) =>
    sendResponse(call, await lookResponse(call, params.slug, params.page)),
  );

async function lookResponse(call: Call, slug: string, page: string): Promise<HttpResponse> {
  const { platen, url } = call;
  const blog = withLook(platen, ownBlog(call, slug).blog, url.searchParams);
  const shown =
    page === "home"
      ? await homePage({ platen, blog, query: new URLSearchParams() })
      : await newestPostPage(call, blog);
  if (!shown || !["home", "post"].includes(page)) throw notFound("page at this address");
  return allowOwnFrames(privatePageResponse(withPreviewSheet(platen, blog, shown, url.searchParams)));
}

async function newestPostPage({ platen }: Call, blog: Blog): Promise<Html | null> {
  const { posts } = await publicPosts(platen, blog, "home", { page: 1, limit: 1 });
  const [row] = posts;
  return row ? await postPage(platen, postOfRow(platen, row, blog)) : null;
}

/** Replaces the link to the blog's stylesheet, because that has the saved design. */
function withPreviewSheet(platen: Platen, blog: Blog, page: Html, query: URLSearchParams): Html {
  const address = html`${previewSheet(platen, blog).path}?${query.toString()}`;
  return raw(page.markup.replaceAll(stylesheetOf(platen, blog).path, address.markup));
}
