import { normalizeAccent } from "../../blogs/blog-settings";
import type { Blog } from "../../blogs/blogs";
import { MAX_LENGTHS } from "../../config/request-limits";
import { notFound } from "../../errors";
import type { Call } from "../../http/requests/call";
import { privatePageResponse } from "../../http/responses/html-responses";
import type { HttpResponse } from "../../http/responses/response";
import { sendResponse } from "../../http/responses/sending";
import type { Platen } from "../../platen";
import { publicPosts } from "../../posts/reading/public-posts";
import { postOfRow } from "../../posts/storage/stored-posts";
import { type Html, raw } from "../../text/html";
import { isThemeName } from "../../themes/themes";
import { homePage } from "../pages/home-page";
import { postPage } from "../pages/post-page";
import { candidateSheet, stylesheetOf } from "../styles/stylesheets";
import { framedByOurselves, framesDoor, ownBlog } from "./own-frames";

/** The blog as readers would have it with another theme and accent: for its owner, in a frame of the admin. */
export const looks = (platen: Platen) =>
  framesDoor(platen, "looks").get("/admin/blogs/:slug/look/:page", async ({ call, params }) =>
    sendResponse(call, await lookAnswer(call, params.slug, params.page)),
  );

/** @param page "home", or "post" for the newest one */
async function lookAnswer(call: Call, slug: string, page: string): Promise<HttpResponse> {
  const { platen, url } = call;
  const blog = withLook(ownBlog(call, slug).blog, url.searchParams);
  const shown =
    page === "home"
      ? await homePage({ platen, blog, query: new URLSearchParams() })
      : await newest(call, blog);
  if (!shown || !["home", "post"].includes(page)) throw notFound("page at this address");
  return framedByOurselves(privatePageResponse(inCandidateSheet(blog, shown)));
}

/** What makes no sense is as if it had not been asked. */
function withLook(blog: Blog, asked: URLSearchParams): Blog {
  const theme = asked.get("theme") ?? "";
  const accent = normalizeAccent(asked.get("accent")?.slice(0, MAX_LENGTHS.typedLine) ?? blog.accent);
  return { ...blog, theme: isThemeName(theme) ? theme : blog.theme, accent: accent ?? blog.accent };
}

async function newest({ platen }: Call, blog: Blog): Promise<Html | null> {
  const { posts } = await publicPosts(platen, blog, "home", { page: 1, limit: 1 });
  const [row] = posts;
  return row ? await postPage(platen, postOfRow(platen, row, blog)) : null;
}

/** The blog's own stylesheet is at an address that answers with the one it has now. */
function inCandidateSheet(blog: Blog, page: Html): Html {
  return raw(page.markup.replaceAll(stylesheetOf(blog).path, candidateSheet(blog).path));
}
