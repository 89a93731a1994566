import { findTheme } from "../../blogs/appearance/folder-themes";
import { normalizeAccent } from "../../blogs/blog-settings";
import type { Blog } from "../../blogs/blogs";
import { MAX_LENGTHS } from "../../config/request-limits";
import { notFound } from "../../errors";
import type { Call } from "../../http/requests/call";
import { privatePageResponse } from "../../http/responses/html-responses";
import { type HttpResponse, sendResponse } from "../../http/responses/response";
import type { Platen } from "../../platen";
import { publicPosts } from "../../posts/reading/public-posts";
import { postOfRow } from "../../posts/storage/stored-posts";
import { type Html, raw } from "../../text/html";
import { designErrors, designInQuery } from "../../themes/design";
import { homePage } from "../pages/home-page";
import { postPage } from "../pages/post-page";
import { candidateSheet, stylesheetOf } from "../styles/stylesheets";
import { allowOwnFrames, ownBlog, previewRouter } from "./own-frames";

/** Shows a preview of the blog with another look in a frame of the admin. */
export const looks = (platen: Platen) =>
  previewRouter(platen, "looks").get("/admin/blogs/:slug/look/:page", async ({ call, params }) =>
    sendResponse(call, await lookResponse(call, params.slug, params.page)),
  );

/** @param page "home", or "post" for the newest one */
async function lookResponse(call: Call, slug: string, page: string): Promise<HttpResponse> {
  const { platen, url } = call;
  const blog = withLook(platen, ownBlog(call, slug).blog, url.searchParams);
  const shown =
    page === "home"
      ? await homePage({ platen, blog, query: new URLSearchParams() })
      : await newestPostPage(call, blog);
  if (!shown || !["home", "post"].includes(page)) throw notFound("page at this address");
  return allowOwnFrames(privatePageResponse(withCandidateSheet(platen, blog, shown)));
}

/** The blog with the design in the query. Ignores invalid values. */
function withLook(platen: Platen, blog: Blog, query: URLSearchParams): Blog {
  const theme = query.get("theme") ?? "";
  const accent = normalizeAccent(query.get("accent")?.slice(0, MAX_LENGTHS.typedLine) ?? blog.accent);
  const requested = designInQuery(query);
  const design =
    Object.keys(designErrors(requested)).length === 0 ? { ...blog.design, ...requested } : blog.design;
  return {
    ...blog,
    theme: findTheme(platen, theme) ? theme : blog.theme,
    accent: accent ?? blog.accent,
    design,
  };
}

async function newestPostPage({ platen }: Call, blog: Blog): Promise<Html | null> {
  const { posts } = await publicPosts(platen, blog, "home", { page: 1, limit: 1 });
  const [row] = posts;
  return row ? await postPage(platen, postOfRow(platen, row, blog)) : null;
}

/** Links to the preview's stylesheet, because the blog's own URL always returns the saved one. */
function withCandidateSheet(platen: Platen, blog: Blog, page: Html): Html {
  return raw(page.markup.replaceAll(stylesheetOf(platen, blog).path, candidateSheet(platen, blog).path));
}
