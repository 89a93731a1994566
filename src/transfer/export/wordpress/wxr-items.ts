import { postUrl } from "../../../blogs/permalinks";
import type { Komment } from "../../../komments/komment";
import type { StoredBlob } from "../../../media/files/blobs";
import { mediaPath } from "../../../media/files/media-urls";
import { isLive } from "../../../posts/post/live";
import { permanentIds } from "../../../posts/post/permanent-ids";
import type { WholePost } from "../../../posts/post/post";
import { altTextOf, previewImage } from "../../../posts/post/post-images";
import { oldSlugsOf } from "../../../posts/storage/old-slugs";
import { postBlocks } from "./block-content";
import {
  answerId,
  asHtml,
  attachmentId,
  element,
  kommentId,
  meta,
  parent,
  postId,
  utcTime,
  zonedTime,
} from "./wxr-elements";
import { AUTHOR, type WxrSite } from "./wxr-site";
/** Ends an item: its komments stand before it. */
export const ITEM_END = "</item>\n";

/** A post or page up to its komments. */
export function postItem(site: WxrSite, post: WholePost): string {
  const { platen, blog } = site;
  const isDraft = post.status === "draft";
  const at = (isDraft ? null : post.publishedAt) ?? post.createdAt;
  const chosen = post.previewImage === null ? undefined : previewImage(post);
  return beginning(site, {
    title: post.title,
    excerpt: asHtml(post.summary ?? ""),
    isSticky: post.pinned,
    link: postUrl(platen, blog, post),
    guid: permanentIds(platen)("post", post.id),
    content: postBlocks(platen, post),
    id: postId(post),
    ...{ at, utc: isDraft ? null : at, changedAt: post.updatedAt, slug: post.slug, type: post.type },
    status: statusOf(post, site.at),
    takesComments: !post.kommentsDisabled,
    parent: 0,
    others: [
      ...topicsOf(site, post),
      ...(chosen ? [meta("_thumbnail_id", attachmentId(chosen))] : []),
      ...slugsOf(site, post).map((slug) => meta("_wp_old_slug", slug)),
    ],
  });
}

/** @param post the one it belongs to there, "uploaded to" it; null: none */
export function attachmentItem(site: WxrSite, blob: StoredBlob, post: WholePost | null): string {
  const address = site.platen.config.url + mediaPath(blob);
  const at = blob.createdAt;
  const item = beginning(site, {
    ...{
      title: blob.filename,
      excerpt: "",
      isSticky: false,
      link: address,
      guid: address,
      content: "",
      id: attachmentId(blob),
    },
    ...{ at, utc: at, changedAt: at, slug: blob.filename.replace(/\.[^.]*$/, ""), type: "attachment" },
    ...{ status: "inherit", takesComments: false, parent: post ? postId(post) : 0 },
    others: [
      element("wp:attachment_url", address),
      meta("_wp_attachment_image_alt", asHtml(altTextOf(blob, post?.altText ?? {}))),
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
  /** null: WordPress gives a draft its time when it is published. */
  utc: Date | null;
  changedAt: Date;
  slug: string;
  type: string;
  status: string;
  takesComments: boolean;
  parent: number;
  others: string[];
}

function beginning({ blog, author }: WxrSite, item: Item): string {
  return [
    "<item>\n",
    element("title", asHtml(item.title)),
    element("link", item.link),
    element("pubDate", item.at.toUTCString()),
    element("dc:creator", author.login),
    element("guid", item.guid, { isPermaLink: "false" }),
    element("description", ""),
    element("content:encoded", item.content),
    element("excerpt:encoded", item.excerpt),
    element("wp:post_id", item.id),
    element("wp:post_date", zonedTime(item.at, blog.timeZone)),
    element("wp:post_date_gmt", utcTime(item.utc)),
    element("wp:post_modified", zonedTime(item.changedAt, blog.timeZone)),
    element("wp:post_modified_gmt", utcTime(item.changedAt)),
    element("wp:comment_status", item.takesComments ? "open" : "closed"),
    element("wp:ping_status", "closed"),
    element("wp:post_name", item.slug),
    element("wp:status", item.status),
    element("wp:post_parent", item.parent),
    element("wp:menu_order", 0),
    element("wp:post_type", item.type),
    element("wp:post_password", ""),
    element("wp:is_sticky", item.isSticky ? 1 : 0),
    ...item.others,
  ].join("");
}

/** WordPress has no post that is at its address and in no list: nothing becomes more public than it was. */
function statusOf(post: WholePost, at: Date): string {
  if (post.status === "draft") return "draft";
  if (post.status === "archived" || post.hidden) return "private";
  return isLive(post, at) ? "publish" : "future";
}

function topicsOf({ tagSlug }: WxrSite, { category, tags }: WholePost): string[] {
  return [
    ...(category
      ? [element("category", asHtml(category.name), { domain: "category", nicename: category.slug })]
      : []),
    ...tags.map((tag) => element("category", asHtml(tag), { domain: "post_tag", nicename: tagSlug(tag) })),
  ];
}

/** Those that WordPress can lead on from: a path or a query is no slug. */
export function slugsOf({ platen }: WxrSite, post: WholePost): string[] {
  return oldSlugsOf(platen, post).filter((slug) => !/[/?]/.test(slug));
}

/** With the owner's answer. What is refused here is in the trash there. */
export function kommentElements(site: WxrSite, komment: Komment): string {
  const { name, address, html, createdAt, status, answerHtml, answeredAt } = komment;
  const isMail = address.includes("@") && !/^https?:/i.test(address);
  const own = comment(site, {
    ...{ id: kommentId(komment), above: 0, user: 0, name, at: createdAt, text: html },
    ...{ mail: isMail ? address : "", address: isMail ? "" : address },
    state: { shown: "1", waiting: "0", refused: "trash" }[status],
  });
  if (answerHtml === null) return own;
  const answer = comment(site, {
    ...{ id: answerId(komment), above: kommentId(komment), user: AUTHOR, name: site.author.name },
    ...{ mail: "", address: "", at: answeredAt ?? createdAt, text: answerHtml },
    state: status === "refused" ? "trash" : "1",
  });
  return own + answer;
}

interface Comment {
  id: number;
  above: number;
  /** 0: a reader. */
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
  { id, above, user, name, mail, address, at, text, state }: Comment,
): string {
  return parent(
    "wp:comment",
    element("wp:comment_id", id),
    element("wp:comment_author", asHtml(name)),
    element("wp:comment_author_email", mail),
    element("wp:comment_author_url", address),
    element("wp:comment_author_IP", ""),
    element("wp:comment_date", zonedTime(at, blog.timeZone)),
    element("wp:comment_date_gmt", utcTime(at)),
    element("wp:comment_content", text),
    element("wp:comment_approved", state),
    element("wp:comment_type", "comment"),
    element("wp:comment_parent", above),
    element("wp:comment_user_id", user),
  );
}
