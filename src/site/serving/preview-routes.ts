import { type Blog, blogWithSlug } from "../../blogs/blogs";
import { notFound, requireFound, unauthorized } from "../../errors";
import type { Call } from "../../http/requests/call";
import { readMultipart } from "../../http/requests/multipart";
import type { HttpResponse } from "../../http/responses/response";
import { CACHE_CONTROL, privatePageResponse, sendResponse } from "../../http/responses/response";
import { router } from "../../http/router";
import { requireSameOrigin } from "../../owner/csrf";
import { signedIn } from "../../owner/session-cookie";
import type { Platen } from "../../platen";
import { assertAccess, findPost } from "../../posts/reading/finding-posts";
import { publicPosts } from "../../posts/reading/public-posts";
import { postOfRow } from "../../posts/storage/stored-posts";
import type { PostChanges } from "../../posts/writing/post-input";
import { previewPost } from "../../posts/writing/preparing-content";
import { type Html, html, raw } from "../../text/html";
import { isLanguage } from "../../text/language-tags";
import { contentOfPage } from "../images/post-images";
import { cardOfAnyPost } from "../images/title-cards-and-icons";
import { refusalResponse } from "../layout/error-pages";
import { homePage } from "../pages/home-page";
import { postPage, unlistedPage } from "../pages/post-and-share-pages";
import { previewSheet, stylesheetOf, withLook } from "../styles/stylesheets-and-accent";
import { blogInLanguageOf } from "../titles-dates-and-languages";

/** Previews of posts, title cards and themes, which the admin shows in frames. */
export const previews = (platen: Platen) =>
  router(platen, "previews", (refusal) => allowOwnFrames(refusalResponse(refusal)))
    .get("/admin/blogs/:slug/posts/:id/card", async ({ call, params }) =>
      sendResponse(call, await cardResponse(call, params.slug, params.id)),
    )
    .get("/admin/blogs/:slug/look/:page", async ({ call, params }) =>
      sendResponse(call, await lookResponse(call, params.slug, params.page)),
    )
    .post(
      "/admin/blogs/:slug/preview",
      async ({ call, params }) => sendResponse(call, await previewResponse(call, params.slug)),
      { parse: "none" },
    );

function ownBlog(call: Call, slug: string) {
  const account = signedIn(call);
  if (!account) throw unauthorized("Sign in first.");
  const access = { account, blogIds: null };
  const blog = requireFound(blogWithSlug(call.platen, slug), "blog");
  assertAccess(access, blog, "blog");
  return { access, blog };
}

function allowOwnFrames<Shown extends HttpResponse>(response: Shown): Shown {
  const name = "content-security-policy";
  const policy = response.headers.get(name) ?? "";
  response.headers.set(name, policy.replace("frame-ancestors 'none'", "frame-ancestors 'self'"));
  return response;
}

async function previewResponse(call: Call, slug: string): Promise<HttpResponse> {
  const { platen } = call;
  const { access, blog } = ownBlog(call, slug);
  const form = await readMultipart(call.request, discardFile, async () => {});
  const first = (name: string) => form.fields.find(([field]) => field === name)?.[1];
  requireSameOrigin(call, { get: (name) => first(name) ?? null }, "session");
  const id = Number(first("id") ?? 0);
  const changes = parseChanges(form.fields);
  const before = id ? findPost(platen, access, id, blog.id) : null;
  const post = await previewPost(platen, access, { blog, before, changes });
  const content = contentOfPage(platen, blogInLanguageOf(post, blog), post.html);
  const page = unlistedPage(platen, post, content, "Only you can see this page.");
  return allowOwnFrames(privatePageResponse(page));
}

async function discardFile(_field: string, _filename: string, stream: AsyncIterable<Uint8Array>) {
  for await (const _chunk of stream);
}

function parseChanges(fields: [name: string, value: string][]): PostChanges {
  const all = (name: string) => fields.filter(([field]) => field === name).map(([, value]) => value);
  const decorative = new Set(all("decorative"));
  const alts = all("alt");
  const language = all("language")[0]?.trim() ?? "";
  const altTexts = all("alt_file").map((name, at) => [name, alts[at] || (decorative.has(name) ? "" : null)]);
  return {
    title: all("title")[0] ?? "",
    content: all("content")[0] ?? "",
    contentType: all("content_type")[0] === "markdown" ? "markdown" : "html",
    language: isLanguage(language) ? language : null,
    altText: Object.fromEntries(altTexts.filter(([, alt]) => alt !== null)),
  };
}

async function cardResponse(call: Call, slug: string, id: string): Promise<HttpResponse> {
  const { access, blog } = ownBlog(call, slug);
  if (!/^\d{1,15}$/.test(id)) throw notFound("post");
  const card = await cardOfAnyPost(call.platen, findPost(call.platen, access, Number(id), blog.id));
  const headers = new Headers({ "content-type": "image/png", "cache-control": CACHE_CONTROL.noStore });
  return { status: 200, headers, body: card };
}

async function lookResponse(call: Call, slug: string, name: string): Promise<HttpResponse> {
  const { platen, url } = call;
  const blog = withLook(platen, ownBlog(call, slug).blog, url.searchParams);
  const page = requireFound(await lookPage(platen, blog, name), "page at this address");
  // Replaces the link to the blog's stylesheet, because that has the saved design.
  const address = html`${previewSheet(platen, blog).path}?${url.searchParams.toString()}`;
  const shown = raw(page.markup.replaceAll(stylesheetOf(platen, blog).path, address.markup));
  return allowOwnFrames(privatePageResponse(shown));
}

async function lookPage(platen: Platen, blog: Blog, name: string): Promise<Html | null> {
  if (name === "home") return await homePage({ platen, blog, query: new URLSearchParams(), page: 1 });
  const { posts } = await publicPosts(platen, blog, "home", { page: 1, limit: 1 });
  return name === "post" && posts[0] ? postPage(platen, postOfRow(platen, posts[0], blog)) : null;
}
