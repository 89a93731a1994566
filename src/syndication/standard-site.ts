/**
 * standard.site records in the blog's Bluesky account, through which reader apps discover the blog's posts.
 */
import { type Blog, blogUrl, postUrl } from "../blogs/blogs";
import type { Platen } from "../platen";
import { excerpt } from "../posts/content/plain-text-and-excerpts";
import { contentWarning, type Post } from "../posts/post/post";
import { tagsWithSlugs } from "../posts/storage/categories-and-tags";
import { excerptOf } from "../posts/storage/stored-posts";
import { countGraphemes, cutText } from "./copy-content";
import { copyAccount, copySettings, sentCopies } from "./stored-copies";

export const PUBLICATION = "site.standard.publication";
export const DOCUMENT = "site.standard.document";
const MAX_TITLE = 128;
const MAX_DESCRIPTION = 300;

export function publicationKey(blog: Pick<Blog, "reach">): string | null {
  return copySettings(blog, "bluesky")?.publication ?? null;
}

/** Only a blog at the root of its host can prove that the records are its own. */
export function mayHaveRecords(platen: Platen, blog: Blog): boolean {
  return new URL(blogUrl(platen, blog)).pathname === "/";
}

export function publicationUri(platen: Platen, blog: Blog): string | null {
  const key = publicationKey(blog);
  const account = key === null ? undefined : copyAccount(platen, blog, "bluesky");
  return account ? `at://${account.remoteId}/${PUBLICATION}/${key}` : null;
}

export function documentUri(platen: Platen, { id, blog, title }: Post): string | null {
  const publication = publicationKey(blog);
  if (publication === null || title === "") return null;
  const copy = sentCopies(platen, id).find(({ service }) => service === "bluesky");
  if (!copy || !isDocumented(publication, copy)) return null;
  return `${copy.remoteId.slice(0, copy.remoteId.indexOf("/", "at://".length))}/${DOCUMENT}/${copy.key}`;
}

/** Record keys begin with the time, and copies older than the publication have no document. */
export function isDocumented(publication: string, copy: { key: string }): boolean {
  return copy.key > publication;
}

export function standardRecords(platen: Platen, post: Post, site: string, copy: object) {
  const { blog, title, summary, publishedAt, updatedAt } = post;
  const url = blogUrl(platen, blog).replace(/\/$/, "");
  const cut = (text: string, max: number) => cutText(text, (part) => countGraphemes(part) <= max);
  const description = contentWarning(post) === "" ? (summary ?? excerptOf(platen, post)) : "";
  const tags = tagsWithSlugs(platen, post.id).map(({ name }) => name);
  return {
    publication: {
      ...{ $type: PUBLICATION, url, name: cut(blog.title, MAX_TITLE) },
      ...(blog.description !== "" && { description: cut(blog.description, MAX_DESCRIPTION) }),
    },
    document: {
      ...{ $type: DOCUMENT, site, path: postUrl(platen, blog, post).slice(url.length) },
      title: cut(title, MAX_TITLE),
      ...(description && { description: excerpt(description, MAX_DESCRIPTION) }),
      publishedAt: (publishedAt as Date).toISOString(),
      updatedAt: updatedAt.toISOString(),
      ...(tags.length > 0 && { tags }),
      bskyPostRef: copy,
    },
  };
}
