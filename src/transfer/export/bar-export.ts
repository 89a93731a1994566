import { blogUrl, postUrl } from "../../blogs/blogs";
import type { StoredBlob } from "../../media/files/blobs";
import { mediaPath } from "../../media/files/media-urls";
import type { Platen } from "../../platen";
import { isLive, type WholePost } from "../../posts/post/post";
import { topicNamesOf } from "../../posts/storage/categories-and-tags";
import { permanentIds } from "../../posts/storage/slugs-and-permanent-ids";
import { html, raw } from "../../text/html";
import type { ExportContext, ExportFormat } from "./export-blog";
import { countPost, countUnsupported, countUnsupportedParts, tryOrReport } from "./export-blog";
import { eachPost, linkMedia, standaloneHtml, writeMediaFiles } from "./exported-posts-and-media";

/** A Micro.blog archive: a ZIP with a JSON feed, an h-feed page and the media. */
export const barExport: ExportFormat = {
  name: "bar",
  isArchive: true,
  async write(context) {
    const at = context.platen.now();
    await context.out.text("feed.json", at, feedOf(context, at));
    await context.out.text("index.html", at, pageOf(context, at));
    await writeMediaFiles(context, pathsOf);
    countUnsupportedParts(context);
  },
};

/** Equal to the paths of the files' URLs, so that importers find the files that posts link to. */
function pathsOf({ folder, filename }: StoredBlob) {
  return { path: `media/${folder}/${filename}`, poster: `media/${folder}/poster.webp` };
}

/** The format has no status, so importers publish every post. */
function omissionReason(post: WholePost, at: Date): string | null {
  if (post.type === "page") return "pages";
  if (!isLive(post, at)) return "posts that are not published";
  return post.hidden ? "hidden posts" : null;
}

async function* feedOf(context: ExportContext, at: Date): AsyncGenerator<string> {
  const { platen, blog, report } = context;
  const { title, description, language } = blog;
  const url = blogUrl(platen, blog);
  const head = JSON.stringify({
    version: "https://jsonfeed.org/version/1.1",
    ...{ title, home_page_url: url, feed_url: `${url}feed.json` },
    ...{ description: description || undefined, language },
  });
  yield `${head.slice(0, -1)},"items":[`;
  let between = "\n";
  for (const post of eachPost(platen, blog)) {
    const reason = omissionReason(post, at);
    if (reason) countUnsupported(report, reason);
    const read = () => (reason ? undefined : feedItem(platen, post));
    const item = await tryOrReport(context, post.title || post.slug, read);
    if (item) {
      yield between + JSON.stringify(item);
      between = ",\n";
      countPost(report, post);
      if (post.pinned) countUnsupported(report, "pins of posts, which the format does not have");
      if (post.series !== null) countUnsupported(report, "series of posts, which the format does not have");
    }
    await context.step();
  }
  yield "\n]}\n";
}

function feedItem(platen: Platen, post: WholePost) {
  const address = (blob: StoredBlob) => platen.config.url + mediaPath(blob);
  const topics = topicNamesOf(post);
  return {
    ...{ id: permanentIds(platen)("post", post.id), url: postUrl(platen, post.blog, post) },
    ...{ title: post.title || undefined, summary: post.summary ?? undefined },
    language: post.language ?? undefined,
    content_text: post.sourceType === "markdown" ? linkMedia(platen, post, address) : undefined,
    content_html: standaloneHtml(platen, post, address),
    date_published: post.publishedAt,
    date_modified: post.updatedAt,
    tags: topics.length > 0 ? topics : undefined,
  };
}

async function* pageOf(context: ExportContext, at: Date): AsyncGenerator<string> {
  const { platen, blog } = context;
  const { title, language } = blog;
  yield html`<!DOCTYPE html>
<html lang="${language}">
<head><meta charset="utf-8"><title>${title}</title></head>
<body class="h-feed">
<h1 class="p-name"><a class="u-url" href="${blogUrl(platen, blog)}">${title}</a></h1>
`.markup;
  for (const post of eachPost(platen, blog))
    if (omissionReason(post, at) === null)
      yield (await tryOrReport(context, post.title || post.slug, () => entryOf(platen, post))) ?? "";
  yield "</body>\n</html>\n";
}

function entryOf(platen: Platen, post: WholePost): string {
  const time = (post.publishedAt as Date).toISOString();
  const content = standaloneHtml(platen, post, (blob) => mediaPath(blob).slice(1));
  return html`<article class="h-entry">
${post.title && html`<h2 class="p-name">${post.title}</h2>\n`}<p><a class="u-url" href="${postUrl(platen, post.blog, post)}"><time class="dt-published" datetime="${time}">${time.slice(0, 10)}</time></a></p>
${post.summary && html`<p class="p-summary">${post.summary}</p>\n`}<div class="e-content">${raw(content)}</div>
${topicNamesOf(post).map((topic) => html`<span class="p-category">${topic}</span>\n`)}</article>
`.markup;
}
