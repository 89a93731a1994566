import { notFound } from "../../errors";
import type { Call } from "../../http/requests/call";
import { readMultipart } from "../../http/requests/multipart";
import { CACHE_CONTROL } from "../../http/responses/cache-control";
import { privatePageResponse } from "../../http/responses/html-responses";
import { type HttpResponse, sendResponse } from "../../http/responses/response";
import { requireSameOrigin } from "../../owner/csrf";
import type { Platen } from "../../platen";
import { findPost } from "../../posts/reading/finding-posts";
import type { PostChanges } from "../../posts/writing/post-input";
import { previewPost } from "../../posts/writing/preparing-content";
import { isLanguage } from "../../text/language-tags";
import { contentOfPage } from "../images/content-images";
import { cardOfAnyPost } from "../images/title-card";
import { unlistedPage } from "../pages/share-page";
import { blogInLanguageOf } from "../text/language";
import { allowOwnFrames, ownBlog, previewRouter } from "./own-frames";

export const preview = (platen: Platen) =>
  previewRouter(platen, "preview")
    .get("/admin/blogs/:slug/posts/:id/card", async ({ call, params }) =>
      sendResponse(call, await cardResponse(call, params.slug, params.id)),
    )
    .post(
      "/admin/blogs/:slug/preview",
      async ({ call, params }) => sendResponse(call, await previewResponse(call, params.slug)),
      { parse: "none" },
    );

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
  return allowOwnFrames(
    privatePageResponse(await unlistedPage(platen, post, content, "Only you can see this page.")),
  );
}

async function cardResponse(call: Call, slug: string, id: string): Promise<HttpResponse> {
  const { access, blog } = ownBlog(call, slug);
  if (!/^\d{1,15}$/.test(id)) throw notFound("post");
  const card = await cardOfAnyPost(call.platen, findPost(call.platen, access, Number(id), blog.id));
  const headers = new Headers({ "content-type": "image/png", "cache-control": CACHE_CONTROL.noStore });
  return { status: 200, headers, body: card };
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
