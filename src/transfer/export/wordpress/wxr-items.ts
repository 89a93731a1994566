import { postUrl } from "../../../blogs/permalinks";
import type { Komment } from "../../../komments/komment";
import type { StoredBlob } from "../../../media/files/blobs";
import { mediaPath, posterPath } from "../../../media/files/media-urls";
import type { Platen } from "../../../platen";
import { permanentIds } from "../../../posts/post/permanent-ids";
import { altTextOf, isLive, previewImage, type WholePost } from "../../../posts/post/post";
import { oldSlugsOf } from "../../../posts/storage/slugs";
import { html } from "../../../text/html";
import {
  type HtmlElement,
  type HtmlNode,
  replaceWithHtml,
  serializeHtml,
} from "../../import/content/html-content";
import { type FigureFile, parseRenderedPost } from "../parts/linked-media";
import {
  AUTHOR_ID,
  asHtml,
  cdataElement,
  parentElement,
  postMeta,
  type WxrSite,
  wxrAnswerId,
  wxrAttachmentId,
  wxrKommentId,
  wxrLocalTime,
  wxrPostId,
  wxrUtcTime,
} from "./wxr-site";

export const ITEM_END = "</item>\n";

export function postItem(site: WxrSite, post: WholePost): string {
  const { platen, blog } = site;
  const isDraft = post.status === "draft";
  const at = (isDraft ? null : post.publishedAt) ?? post.createdAt;
  const preview = post.previewImage === null ? undefined : previewImage(post);
  return itemBeginning(site, {
    title: post.title,
    excerpt: asHtml(post.summary ?? ""),
    isSticky: post.pinned,
    link: postUrl(platen, blog, post),
    guid: permanentIds(platen)("post", post.id),
    content: toBlockContent(platen, post),
    id: wxrPostId(post),
    ...{ at, utc: isDraft ? null : at, changedAt: post.updatedAt, slug: post.slug, type: post.type },
    status: statusOf(post, site.at),
    takesComments: !post.kommentsDisabled,
    parent: 0,
    others: [
      ...topicsOf(site, post),
      ...(preview ? [postMeta("_thumbnail_id", wxrAttachmentId(preview))] : []),
      ...previousSlugs(site, post).map((slug) => postMeta("_wp_old_slug", slug)),
    ],
  });
}

export function attachmentItem(site: WxrSite, blob: StoredBlob, post: WholePost | null): string {
  const address = site.platen.config.url + mediaPath(blob);
  const at = blob.createdAt;
  const item = itemBeginning(site, {
    ...{
      title: blob.filename,
      excerpt: "",
      isSticky: false,
      link: address,
      guid: address,
      content: "",
      id: wxrAttachmentId(blob),
    },
    ...{ at, utc: at, changedAt: at, slug: blob.filename.replace(/\.[^.]*$/, ""), type: "attachment" },
    ...{ status: "inherit", takesComments: false, parent: post ? wxrPostId(post) : 0 },
    others: [
      cdataElement("wp:attachment_url", address),
      postMeta("_wp_attachment_image_alt", asHtml(altTextOf(blob, post?.altText ?? {}))),
    ],
  });
  return item + ITEM_END;
}

interface Item {
  title: string;
  excerpt: string;
  isSticky: boolean;
  link: string;
  guid: string;
  content: string;
  id: number;
  at: Date;
  /** In UTC; null for drafts, because WordPress sets the time when it publishes them. */
  utc: Date | null;
  changedAt: Date;
  slug: string;
  type: string;
  status: string;
  takesComments: boolean;
  parent: number;
  others: string[];
}

function itemBeginning({ blog, author }: WxrSite, item: Item): string {
  return [
    "<item>\n",
    cdataElement("title", asHtml(item.title)),
    cdataElement("link", item.link),
    cdataElement("pubDate", item.at.toUTCString()),
    cdataElement("dc:creator", author.login),
    cdataElement("guid", item.guid, { isPermaLink: "false" }),
    cdataElement("description", ""),
    cdataElement("content:encoded", item.content),
    cdataElement("excerpt:encoded", item.excerpt),
    cdataElement("wp:post_id", item.id),
    cdataElement("wp:post_date", wxrLocalTime(item.at, blog.timeZone)),
    cdataElement("wp:post_date_gmt", wxrUtcTime(item.utc)),
    cdataElement("wp:post_modified", wxrLocalTime(item.changedAt, blog.timeZone)),
    cdataElement("wp:post_modified_gmt", wxrUtcTime(item.changedAt)),
    cdataElement("wp:comment_status", item.takesComments ? "open" : "closed"),
    cdataElement("wp:ping_status", "closed"),
    cdataElement("wp:post_name", item.slug),
    cdataElement("wp:status", item.status),
    cdataElement("wp:post_parent", item.parent),
    cdataElement("wp:menu_order", 0),
    cdataElement("wp:post_type", item.type),
    cdataElement("wp:post_password", ""),
    cdataElement("wp:is_sticky", item.isSticky ? 1 : 0),
    ...item.others,
  ].join("");
}

/** Archived and hidden posts become private, because WordPress has no such states. */
function statusOf(post: WholePost, at: Date): string {
  if (post.status === "draft") return "draft";
  if (post.status === "archived" || post.hidden) return "private";
  return isLive(post, at) ? "publish" : "future";
}

function topicsOf({ tagSlug }: WxrSite, { category, tags }: WholePost): string[] {
  return [
    ...(category
      ? [cdataElement("category", asHtml(category.name), { domain: "category", nicename: category.slug })]
      : []),
    ...tags.map((tag) =>
      cdataElement("category", asHtml(tag), { domain: "post_tag", nicename: tagSlug(tag) }),
    ),
  ];
}

/** Leaves out queries and paths of several segments, which WordPress cannot redirect. */
export function previousSlugs({ platen }: WxrSite, post: WholePost): string[] {
  return oldSlugsOf(platen, post).filter((slug) => !/[/?]/.test(slug));
}

export function kommentElements(site: WxrSite, komment: Komment): string {
  const { name, address, html, createdAt, status, answerHtml, answeredAt } = komment;
  const isMail = address.includes("@") && !/^https?:/i.test(address);
  const own = comment(site, {
    ...{ id: wxrKommentId(komment), parentId: 0, user: 0, name, at: createdAt, text: html },
    ...{ mail: isMail ? address : "", address: isMail ? "" : address },
    state: { shown: "1", waiting: "0", refused: "trash" }[status],
  });
  if (answerHtml === null) return own;
  const answer = comment(site, {
    ...{ id: wxrAnswerId(komment), parentId: wxrKommentId(komment), user: AUTHOR_ID, name: site.author.name },
    ...{ mail: "", address: "", at: answeredAt ?? createdAt, text: answerHtml },
    state: status === "refused" ? "trash" : "1",
  });
  return own + answer;
}

interface Comment {
  id: number;
  parentId: number;
  user: number;
  name: string;
  mail: string;
  address: string;
  at: Date;
  text: string;
  state: string;
}

function comment(
  { blog }: WxrSite,
  { id, parentId, user, name, mail, address, at, text, state }: Comment,
): string {
  return parentElement(
    "wp:comment",
    cdataElement("wp:comment_id", id),
    cdataElement("wp:comment_author", asHtml(name)),
    cdataElement("wp:comment_author_email", mail),
    cdataElement("wp:comment_author_url", address),
    cdataElement("wp:comment_author_IP", ""),
    cdataElement("wp:comment_date", wxrLocalTime(at, blog.timeZone)),
    cdataElement("wp:comment_date_gmt", wxrUtcTime(at)),
    cdataElement("wp:comment_content", text),
    cdataElement("wp:comment_approved", state),
    cdataElement("wp:comment_type", "comment"),
    cdataElement("wp:comment_parent", parentId),
    cdataElement("wp:comment_user_id", user),
  );
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
    .filter((block) => block !== "")
    .join("\n\n");
}

function blockOf(node: HtmlNode): string {
  const text = escapeForWordpress(serializeHtml([node]));
  const { name = "", attribs = {} } = node as HtmlElement;
  const isPlain = Object.keys(attribs).length === 0;
  if (isPlain && name === "p") return block("paragraph", "", text);
  if (isPlain && /^h[1-6]$/.test(name)) {
    const heading = text.replace(/^<h\d/, '$& class="wp-block-heading"');
    return block("heading", ` {"level":${name.slice(1)}}`, heading);
  }
  return text.trim() === "" ? "" : block("html", "", text);
}

function escapeForWordpress(text: string): string {
  return text.replaceAll("<!--", "&lt;!--").replace(/\[(?=\/?[a-z])/gi, "&#91;");
}

function fileBlock(platen: Platen, file: FigureFile): string {
  const { mediaType } = file.blob;
  const size = mediaType === "image" ? ',"sizeSlug":"full"' : "";
  return block(mediaType, ` {"id":${wxrAttachmentId(file.blob)}${size}}`, fileFigure(platen, file));
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
    ? html`<img src="${address}" alt="${alt}" class="wp-image-${wxrAttachmentId(blob)}"/>`
    : html`<video controls${poster && html` poster="${config.url + poster}"`} src="${address}"></video>`;
  const below = caption && html`<figcaption class="wp-element-caption">${caption}</figcaption>`;
  return html`<figure class="wp-block-${blob.mediaType}${isImage && " size-full"}">${shown}${below}</figure>`
    .markup;
}
