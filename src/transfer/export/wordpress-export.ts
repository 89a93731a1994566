import { postUrl } from "../../blogs/blogs";
import { MEGABYTE } from "../../config/units";
import type { Komment } from "../../komments/komment-rules-and-events";
import type { StoredBlob } from "../../media/files/blobs";
import { mediaPath, posterPath } from "../../media/files/media-urls";
import type { Platen } from "../../platen";
import { altTextOf, isLive, previewImage, type WholePost } from "../../posts/post/post";
import { oldSlugsOf, permanentIds } from "../../posts/storage/slugs-and-permanent-ids";
import { html } from "../../text/html";
import type { HtmlElement, HtmlNode } from "../import/items/html-content";
import { replaceWithHtml, serializeHtml } from "../import/items/html-content";
import type { ExportContext, ExportFormat } from "./export-blog";
import { countPost, countUnsupported, countUnsupportedParts, tryOrReport } from "./export-blog";
import {
  eachPost,
  type FigureFile,
  listFiles,
  listKomments,
  parseRenderedPost,
  writeMediaFiles,
} from "./exported-posts-and-media";
import {
  AUTHOR_ID,
  asHtml,
  cdataElement,
  cdataElements,
  createWxrSite,
  evenId,
  oddId,
  parentElement,
  postMeta,
  WXR_FOOT,
  type WxrFields,
  type WxrSite,
  wxrHead,
  wxrTimes,
} from "./wordpress-xml";

/** A new WXR file begins after this size, because PHP limits uploads. wp-cli uses the same size. */
const MAX_FILE_BYTES = 15 * MEGABYTE;

export const wordpressExport: ExportFormat = {
  name: "wordpress",
  isArchive: false,
  async write(context) {
    const { platen, blog } = context;
    const site = createWxrSite(platen, blog);
    const items = itemsOf(site, context);
    let next = await items.next();
    for (let number = 1; number === 1 || !next.done; number++) {
      const bytes = async function* () {
        yield wxrHead(site, number === 1);
        for (let length = 0; !next.done && length < MAX_FILE_BYTES; next = await items.next()) {
          length += Buffer.byteLength(next.value);
          yield next.value;
        }
        yield WXR_FOOT;
      };
      const name = `${blog.slug}.wordpress.${String(number).padStart(3, "0")}.xml`;
      await context.out.text(name, site.at, bytes());
    }
    await writeMediaFiles(context, pathsOf);
    countUnsupportedParts(context);
  },
};

/** Paths below the uploads folder equal those below /media/, so that one redirect rule covers all old URLs. */
function pathsOf({ folder, filename }: StoredBlob) {
  const inFolder = `wp-content/uploads/${folder}`;
  return { path: `${inFolder}/${filename}`, poster: `${inFolder}/poster.webp` };
}

/** An upload comes before the first post that shows it, because WordPress imports items in order. */
async function* itemsOf(site: WxrSite, context: ExportContext): AsyncGenerator<string> {
  const { platen, blog } = site;
  const written = new Set<number>();
  for (const post of eachPost(platen, blog)) {
    const komments = listKomments(platen, post.id);
    const item = await tryOrReport(context, post.title || post.slug, () => postItem(site, post, komments));
    if (item === undefined) continue;
    for (const { blob } of post.attachments) {
      if (written.has(blob.id)) continue;
      written.add(blob.id);
      yield attachmentItem(site, blob, post);
    }
    yield item;
    countPost(context.report, post);
    context.report.komments += komments.length;
    countLosses(site, post, context);
    await context.step();
  }
  for (const blob of listFiles(platen, blog))
    if (!written.has(blob.id)) yield attachmentItem(site, blob, null);
}

function countLosses(site: WxrSite, post: WholePost, { platen, report }: ExportContext): void {
  const former = oldSlugsOf(platen, post).length - previousSlugs(site, post).length;
  countUnsupported(report, "old URLs with paths, which WordPress cannot redirect", former);
  const losses: [boolean, string][] = [
    [post.sourceType === "markdown", "Markdown posts, which become HTML"],
    [post.hidden && post.status === "published", "hidden posts, which become private"],
    [post.hideInRss, "posts hidden from feeds"],
    [post.skipArchive, "posts hidden from the archive"],
    [post.noIndexNoFollow, "posts with noindex"],
    [post.showContactForm, "contact forms"],
    [post.shareId !== null, "share links"],
    [post.series !== null, "series of posts, which WordPress does not have"],
    [post.language !== null, "languages of posts, which WordPress does not have"],
    [Object.keys(post.properties).length > 0, "posts with microformats"],
  ];
  for (const [applies, what] of losses) if (applies) countUnsupported(report, what);
}

function postItem(site: WxrSite, post: WholePost, komments: Komment[]): string {
  const { platen, blog, tagSlug } = site;
  const isDraft = post.status === "draft";
  const at = (isDraft ? null : post.publishedAt) ?? post.createdAt;
  const { category } = post;
  const topics = [
    ...(category ? [{ domain: "category", name: category.name, nicename: category.slug }] : []),
    ...post.tags.map((name) => ({ domain: "post_tag", name, nicename: tagSlug(name) })),
  ];
  const preview = post.previewImage === null ? undefined : previewImage(post);
  const fields = itemFields(site, at, permanentIds(platen)("post", post.id), {
    title: asHtml(post.title),
    link: postUrl(platen, blog, post),
    "content:encoded": toBlockContent(platen, post),
    "excerpt:encoded": asHtml(post.summary ?? ""),
    "wp:post_id": evenId(post),
    // WordPress sets the time of a draft when it publishes the draft.
    ...(isDraft && { "wp:post_date_gmt": "0000-00-00 00:00:00" }),
    ...wxrTimes("wp:post_modified", post.updatedAt, blog),
    "wp:comment_status": post.kommentsDisabled ? "closed" : "open",
    "wp:post_name": post.slug,
    "wp:status": statusOf(post, site.at),
    "wp:post_type": post.type,
    "wp:is_sticky": post.pinned ? 1 : 0,
  });
  return parentElement(
    "item",
    [
      fields,
      ...topics.map(({ name, ...topic }) => cdataElement("category", asHtml(name), topic)),
      preview ? postMeta("_thumbnail_id", oddId(preview)) : "",
      ...previousSlugs(site, post).map((slug) => postMeta("_wp_old_slug", slug)),
      ...komments.map((komment) => kommentElements(site, komment)),
    ].join(""),
  );
}

function attachmentItem(site: WxrSite, blob: StoredBlob, post: WholePost | null): string {
  const address = site.platen.config.url + mediaPath(blob);
  const fields = itemFields(site, blob.createdAt, address, {
    title: asHtml(blob.filename),
    link: address,
    "wp:post_id": oddId(blob),
    "wp:post_name": blob.filename.replace(/\.[^.]*$/, ""),
    "wp:status": "inherit",
    "wp:post_parent": post ? evenId(post) : 0,
    "wp:post_type": "attachment",
  });
  const alt = asHtml(altTextOf(blob, post?.altText ?? {}));
  const file = cdataElement("wp:attachment_url", address) + postMeta("_wp_attachment_image_alt", alt);
  return parentElement("item", fields + file);
}

/** @param fields replace the defaults, in whose order the elements are written */
function itemFields({ blog, author }: WxrSite, at: Date, guid: string, fields: WxrFields): string {
  const { title = "", link = "", ...others } = fields;
  const head = { title, link, pubDate: at.toUTCString(), "dc:creator": author.login };
  const elements = {
    description: "",
    "content:encoded": "",
    "excerpt:encoded": "",
    "wp:post_id": 0,
    ...wxrTimes("wp:post_date", at, blog),
    ...wxrTimes("wp:post_modified", at, blog),
    "wp:comment_status": "closed",
    "wp:ping_status": "closed",
    "wp:post_name": "",
    "wp:status": "",
    "wp:post_parent": 0,
    "wp:menu_order": 0,
    "wp:post_type": "",
    "wp:post_password": "",
    "wp:is_sticky": 0,
    ...others,
  };
  const guidElement = cdataElement("guid", guid, { isPermaLink: "false" });
  return cdataElements(head) + guidElement + cdataElements(elements);
}

/** Archived and hidden posts become private, because WordPress has no such states. */
function statusOf(post: WholePost, at: Date): string {
  if (post.status === "draft") return "draft";
  if (post.status === "archived" || post.hidden) return "private";
  return isLive(post, at) ? "publish" : "future";
}

/** Leaves out queries and paths of several segments, which WordPress cannot redirect. */
function previousSlugs({ platen }: WxrSite, post: WholePost): string[] {
  return oldSlugsOf(platen, post).filter((slug) => !/[/?]/.test(slug));
}

function kommentElements(site: WxrSite, komment: Komment): string {
  const { name, address, html, createdAt, status, answerHtml, answeredAt } = komment;
  const isMail = address.includes("@") && !/^https?:/i.test(address);
  const own = comment(site, evenId(komment), createdAt, {
    "wp:comment_author": asHtml(name),
    "wp:comment_author_email": isMail ? address : "",
    "wp:comment_author_url": isMail ? "" : address,
    "wp:comment_content": html,
    "wp:comment_approved": { shown: "1", waiting: "0", refused: "trash" }[status],
  });
  if (answerHtml === null) return own;
  const answer = comment(site, oddId(komment), answeredAt ?? createdAt, {
    "wp:comment_author": asHtml(site.author.name),
    "wp:comment_content": answerHtml,
    "wp:comment_approved": status === "refused" ? "trash" : "1",
    "wp:comment_parent": evenId(komment),
    "wp:comment_user_id": AUTHOR_ID,
  });
  return own + answer;
}

function comment({ blog }: WxrSite, id: number, at: Date, fields: WxrFields): string {
  const elements = {
    "wp:comment_id": id,
    "wp:comment_author": "",
    "wp:comment_author_email": "",
    "wp:comment_author_url": "",
    "wp:comment_author_IP": "",
    ...wxrTimes("wp:comment_date", at, blog),
    "wp:comment_content": "",
    "wp:comment_approved": "",
    "wp:comment_type": "comment",
    "wp:comment_parent": 0,
    "wp:comment_user_id": 0,
    ...fields,
  };
  return parentElement("wp:comment", cdataElements(elements));
}

function toBlockContent(platen: Platen, post: WholePost): string {
  const { document, files } = parseRenderedPost(platen, post);
  const atTop = new Set<HtmlNode>(document.children);
  for (const [figure, file] of files)
    if (!atTop.has(figure)) replaceWithHtml(figure, fileFigure(platen, file));
  return document.children
    .map((node) => {
      const file = files.get(node as HtmlElement);
      return file ? fileBlock(platen, file) : blockOf(node);
    })
    .filter(Boolean)
    .join("\n\n");
}

function blockOf(node: HtmlNode): string {
  const written = serializeHtml([node]).replaceAll("<!--", "&lt;!--");
  // WordPress would expand shortcodes.
  const text = written.replace(/\[(?=\/?[a-z])/gi, "&#91;");
  const { name = "", attribs = {} } = node as HtmlElement;
  const isPlain = Object.keys(attribs).length === 0;
  if (isPlain && name === "p") return block("paragraph", "", text);
  if (isPlain && /^h[1-6]$/.test(name)) {
    const heading = text.replace(/^<h\d/, '$& class="wp-block-heading"');
    return block("heading", ` {"level":${name.slice(1)}}`, heading);
  }
  return text.trim() === "" ? "" : block("html", "", text);
}

function fileBlock(platen: Platen, file: FigureFile): string {
  const { mediaType } = file.blob;
  const size = mediaType === "image" ? ',"sizeSlug":"full"' : "";
  return block(mediaType, ` {"id":${oddId(file.blob)}${size}}`, fileFigure(platen, file));
}

function block(name: string, settings: string, text: string): string {
  return `<!-- wp:${name}${settings} -->\n${text}\n<!-- /wp:${name} -->`;
}

/** Writes the exact markup of the WordPress editor, which reports any other markup as invalid. */
function fileFigure({ config }: Platen, { blob, caption, alt }: FigureFile): string {
  const address = config.url + mediaPath(blob);
  const poster = posterPath(blob);
  const isImage = blob.mediaType === "image";
  const shown = isImage
    ? html`<img src="${address}" alt="${alt}" class="wp-image-${oddId(blob)}"/>`
    : html`<video controls${poster && html` poster="${config.url + poster}"`} src="${address}"></video>`;
  const below = caption && html`<figcaption class="wp-element-caption">${caption}</figcaption>`;
  return html`<figure class="wp-block-${blob.mediaType}${isImage && " size-full"}">${shown}${below}</figure>`
    .markup;
}
