import { reachableBlogs } from "../access/target-blog";
import type { Caller } from "../accounts/keys";
import type { Blog } from "../blogs/blogs";
import { blogUrl, postUrl } from "../blogs/permalinks";
import { attachmentSnippet } from "../media/attachment-element";
import type { StoredBlob } from "../media/files/blobs";
import { mediaPath, thumbnailPath } from "../media/media-urls";
import type { Platen } from "../platen";
import { altOf } from "../posts/post/alt-text";
import type { Attachment, ListedPost } from "../posts/post/post";
import { withBase } from "../posts/post/stored-addresses";
import { version } from "../version";

/** interface.md Post, and what contract.md 4 adds; `content` where the post was read with it. */
export function presentPost(platen: Platen, post: ListedPost) {
  const { blog, category } = post;
  const preview = post.attachments.find((attachment) => attachment.blob.mediaType === "image");
  return {
    id: post.id,
    title: post.title,
    slug: post.slug,
    status: post.status,
    type: post.type,
    published_at: post.publishedAt?.toISOString() ?? null,
    created_at: post.createdAt.toISOString(),
    updated_at: post.updatedAt.toISOString(),
    url: postUrl(platen, blog, post),
    blog: { id: blog.id, title: blog.title, slug: blog.slug },
    category: category && { id: category.id, name: category.name, slug: category.slug },
    tags: post.tags,
    meta: {
      hidden: post.hidden,
      hide_in_rss: post.hideInRss,
      no_index_no_follow: post.noIndexNoFollow,
      show_contact_form: post.showContactForm,
      komments_disabled: post.kommentsDisabled,
      archived: post.status === "archived",
      skip_archive: post.skipArchive,
      is_shared: post.shareId !== null,
      share_id: post.shareId,
    },
    preview_image: preview ? platen.config.url + mediaPath(preview.blob) : null,
    content:
      post.html === undefined
        ? undefined
        : { html: withBase(post.html, platen.config.url), text: post.text as string },
    attachments: post.attachments.map((attachment) => presentAttachment(platen, attachment, post.altText)),
  };
}

function presentAttachment(platen: Platen, { id, blob }: Attachment, altText: Record<string, string>) {
  return { id, ...presentFile(platen, blob), alt: altOf(blob, altText) };
}

/** interface.md Upload result, and the file's addresses. */
export function presentUpload(platen: Platen, blob: StoredBlob) {
  return {
    html: attachmentSnippet(platen, blob),
    ...presentFile(platen, blob),
    width: blob.width,
    height: blob.height,
    caption: blob.caption,
  };
}

function presentFile({ config }: Platen, blob: StoredBlob) {
  return {
    blob_id: blob.id,
    filename: blob.filename,
    content_type: blob.contentType,
    byte_size: blob.byteSize,
    media_type: blob.mediaType,
    url: config.url + mediaPath(blob),
    thumbnail: config.url + thumbnailPath(blob),
  };
}

export function presentInfo(platen: Platen, caller: Caller) {
  const present = (blog: Blog, position: number) => ({
    id: blog.id,
    title: blog.title,
    slug: blog.slug,
    url: blogUrl(platen, blog),
    selected: position === 0,
  });
  return {
    api: { name: "Platen", version: "v1", software_version: version },
    account: { id: caller.account.id, name: caller.account.name, email: caller.account.email },
    blogs: reachableBlogs(platen, caller).map(present),
    key: { name: caller.key.name, scopes: caller.key.scopes },
  };
}
