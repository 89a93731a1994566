import { and, eq, isNull, ne, sql } from "drizzle-orm";
import type { Blog } from "../../blogs/blogs";
import { freeSlug, LONGEST_SLUG, slugify } from "../../blogs/slug";
import { isInvisible } from "../../clean-text";
import { blobs, oldSlugs, posts } from "../../database/schema";
import { inTransaction, type Transaction } from "../../database/transactions";
import { invalid } from "../../errors";
import { blobIdOf, signBlob } from "../../media/attachment-element";
import { blobInFolder, type StoredBlob } from "../../media/files/blobs";
import type { Platen } from "../../platen";
import { type RenderedContent, renderContent } from "../content/rendering";
import { chosenCategory, tagPost } from "../post/categories-and-tags";
import {
  mergedProperties,
  type Properties,
  saySomething,
  shownFolders,
  withoutBase,
} from "../post/mf2-properties";
import type { Post, PostRow } from "../post/post";
import { attachBlobs } from "../post/post-attachments";
import { checkedChanges, type PostChanges } from "../post/post-changes";
import { wholePost } from "../reading/post-by-id";
import { forgetPost, indexPost } from "../reading/search";
import { announce, announceIfDue } from "./announcing";
import { keepRevision } from "./revisions";

/** Bytes of randomness in a share id. */
const SHARE_ID_LENGTH = 16;
/** How much of an untitled post's text its slug is made from. */
const SLUG_SOURCE_LENGTH = 60;

export interface Saved {
  post: Post;
  /** What was left out of the content, and why, in sentences. */
  warnings: string[];
}

/** A new post of the blog, a draft unless the changes say otherwise. @throws Refusal (invalid) */
export function createPost(platen: Platen, blog: Blog, draft: PostChanges): Saved {
  return save(platen, blog, null, draft);
}

/** The post with these changes; one that changes nothing leaves everything as it was, `updatedAt` too. @throws Refusal (invalid) */
export function revisePost(platen: Platen, post: Post, changes: PostChanges): Saved {
  return save(platen, post.blog, post, changes);
}

/** Live from now on, or at its time where that lies ahead. */
export function publishPost(platen: Platen, post: Post): Saved {
  return revisePost(platen, post, { status: "published" });
}

/** Back to a draft; it keeps the time it was published at. */
export function unpublishPost(platen: Platen, post: Post): Saved {
  return revisePost(platen, post, { status: "draft" });
}

/** Off the site and out of every list; its address answers 404. */
export function deletePost(platen: Platen, post: Post): void {
  const at = platen.now();
  inTransaction(platen.db, (tx) => {
    announceIfDue(platen, tx, post, at);
    const after = tx.update(posts).set({ deletedAt: at }).where(eq(posts.id, post.id)).returning().get();
    forgetPost(tx, post.id);
    announce(platen, tx, { blog: post.blog, after, at });
  });
}

/** Brings a deleted post back as it was, at another address where a newer post has taken its own. */
export function undeletePost(platen: Platen, blog: Blog, deleted: PostRow): Post {
  return inTransaction(platen.db, (tx) => {
    const slug = unusedSlug(tx, blog.id, deleted.slug, deleted.id);
    const row = tx
      .update(posts)
      .set({ deletedAt: null, slug })
      .where(eq(posts.id, deleted.id))
      .returning()
      .get();
    indexPost(tx, row);
    announce(platen, tx, { blog, after: row, at: platen.now() });
    return wholePost(tx, row, blog);
  });
}

/** Every way a post comes to be or changes, deletion apart, goes through here: content first, then one transaction. */
function save(platen: Platen, blog: Blog, before: Post | null, wish: PostChanges): Saved {
  const at = platen.now();
  const changes = checkedChanges(wish);
  const { blobIds, warnings, ...content } = contentAfter(platen, blog, before, changes);
  return inTransaction(platen.db, (tx) => {
    const fields = {
      ...plainFields(platen, before, changes),
      ...stateAfter(before, changes, at),
      ...content,
      categoryId: chosenCategory(tx, blog.id, changes) ?? clearedOr(before, changes),
      slug: slugAfter(tx, blog, before, changes, content.text, at),
    };
    if (isInvisible(fields.title) && isBlank(content) && !saySomething(fields.properties))
      throw invalid({ content: ["or title must not be blank"] });
    if (before && isSame(before, fields, changes.tags)) return { post: before, warnings };

    if (before) announceIfDue(platen, tx, before, at);
    const row = before
      ? tx
          .update(posts)
          .set({ ...fields, updatedAt: at })
          .where(eq(posts.id, before.id))
          .returning()
          .get()
      : tx
          .insert(posts)
          .values({ ...fields, blogId: blog.id, createdAt: at, updatedAt: at })
          .returning()
          .get();
    if (before) keepRevision(tx, before, at);
    if (before && before.slug !== row.slug) leaveForwardingAddress(tx, before);
    tx.delete(oldSlugs)
      .where(and(eq(oldSlugs.blogId, blog.id), eq(oldSlugs.slug, row.slug)))
      .run();
    if (blobIds) attachBlobs(tx, row.id, blobIds);
    if (changes.tags) tagPost(tx, blog.id, row.id, changes.tags);
    if (before?.title !== row.title || before.text !== row.text) indexPost(tx, row);
    announce(platen, tx, { blog, before, after: row, at });
    return { post: wholePost(tx, row, blog), warnings };
  });
}

function plainFields(platen: Platen, before: Post | null, changes: PostChanges) {
  return {
    title: changes.title ?? before?.title ?? "",
    type: changes.type ?? before?.type ?? "post",
    altText: changes.altText ?? before?.altText ?? {},
    properties: propertiesAfter(platen, before, changes),
    shareId: shareIdAfter(before, changes.isShared),
    ...changes.flags,
  };
}

function propertiesAfter(platen: Platen, before: Post | null, { properties }: PostChanges): Properties {
  const kept = before?.properties ?? {};
  return properties ? mergedProperties(kept, withoutBase(properties, platen.config.url)) : kept;
}

function shareIdAfter(before: Post | null, isShared: boolean | undefined): string | null {
  if (isShared === undefined) return before?.shareId ?? null;
  if (!isShared) return null;
  const fresh = () =>
    Buffer.from(crypto.getRandomValues(new Uint8Array(SHARE_ID_LENGTH))).toString("base64url");
  return before?.shareId ?? fresh();
}

/** What is published has a time: the one asked for, the one it had, or this moment. */
function stateAfter(before: Post | null, changes: PostChanges, at: Date) {
  const status = changes.status ?? before?.status ?? "draft";
  const asked = changes.publishedAt === undefined ? (before?.publishedAt ?? null) : changes.publishedAt;
  return { status, publishedAt: status === "published" ? (asked ?? at) : asked };
}

type ContentFields = Pick<PostRow, "source" | "sourceType" | "html" | "text">;

/** The content rendered anew where anything it is made from has changed. `blobIds` are absent where it has not. */
function contentAfter(
  platen: Platen,
  blog: Blog,
  before: Post | null,
  changes: PostChanges,
): ContentFields & { blobIds?: number[]; warnings: string[] } {
  const { content, contentType, altText, properties } = changes;
  const parts = [content, contentType, altText, properties];
  if (before && parts.every((part) => part === undefined)) return { ...contentOf(before), warnings: [] };
  const source = content ?? before?.source ?? "";
  const sourceType = contentType ?? (content === undefined ? before?.sourceType : undefined) ?? "html";
  const rendered = renderContent(source, sourceType, {
    altText: altText ?? before?.altText ?? {},
    blobOf: (sgid) => ownBlob(platen, blog, sgid),
    shown: shownBlobs(platen, blog, propertiesAfter(platen, before, changes)),
  });
  const blobIds = rendered.blobs.map((blob) => blob.id);
  if (before && rendersTheSame(before, rendered, sourceType))
    return { ...contentOf(before), blobIds, warnings: rendered.warnings };
  return {
    source,
    sourceType,
    html: rendered.html,
    text: rendered.text,
    blobIds,
    warnings: rendered.warnings,
  };
}

function contentOf({ source, sourceType, html, text }: Post): ContentFields {
  return { source, sourceType, html, text };
}

/**
 * `content.html` sent back is no change, even where the source was Markdown, which is then kept
 * (contract.md 4: sending it back is stable). Markdown is kept as it was typed, also where it shows the same.
 */
function rendersTheSame(before: Post, rendered: RenderedContent, sourceType: PostRow["sourceType"]): boolean {
  return rendered.html === before.html && sourceType === "html";
}

function ownBlob(platen: Platen, blog: Blog, sgid: string) {
  const id = blobIdOf(platen, blog.id, sgid);
  if (id === null) return null;
  return (
    platen.db
      .select()
      .from(blobs)
      .where(and(eq(blobs.id, id), eq(blobs.blogId, blog.id)))
      .get() ?? null
  );
}

function shownBlobs(platen: Platen, blog: Blog, properties: Properties) {
  return shownFolders(properties)
    .map((folder) => blobInFolder(platen, folder))
    .filter((blob) => blob?.blogId === blog.id)
    .map((blob) => ({ blob: blob as StoredBlob, sgid: signBlob(platen, blob as StoredBlob) }));
}

/** Content that shows nothing: no text, and no picture, video or frame either. */
function isBlank({ html, text }: Pick<ContentFields, "html" | "text">): boolean {
  return isInvisible(text) && !/<(img|video|audio|iframe|hr)\b/.test(html);
}

function clearedOr(before: Post | null, changes: PostChanges): number | null {
  const isCleared = changes.categoryId === null || changes.category === null || changes.category === "";
  return isCleared ? null : (before?.categoryId ?? null);
}

function slugAfter(
  tx: Transaction,
  blog: Blog,
  before: Post | null,
  changes: PostChanges,
  text: string,
  at: Date,
): string {
  if (changes.slug) {
    const wish = slugify(changes.slug, LONGEST_SLUG);
    if (wish === "") throw invalid({ slug: ["must hold letters or digits"] });
    return wish === before?.slug ? wish : unusedSlug(tx, blog.id, wish, before?.id);
  }
  if (before) return before.slug;
  const made = slugify(changes.title ?? "") || slugify(text.slice(0, SLUG_SOURCE_LENGTH));
  return unusedSlug(tx, blog.id, made || at.toISOString().slice(0, "yyyy-mm-dd".length));
}

function unusedSlug(tx: Transaction, blogId: number, wish: string, except = 0): string {
  const isTaken = (slug: string) =>
    tx
      .select({ taken: sql`1` })
      .from(posts)
      .where(
        and(eq(posts.blogId, blogId), eq(posts.slug, slug), isNull(posts.deletedAt), ne(posts.id, except)),
      )
      .get() !== undefined;
  return freeSlug(wish, isTaken);
}

/** Nothing a reader, a client or the owner could tell apart. */
function isSame(before: Post, fields: Partial<PostRow>, tags: string[] | undefined): boolean {
  const names = Object.keys(fields) as (keyof PostRow)[];
  return (
    names.every((name) => Bun.deepEquals(before[name], fields[name])) &&
    (tags === undefined || Bun.deepEquals(before.tags, tags))
  );
}

/** The address a post had goes on leading to it. */
function leaveForwardingAddress(tx: Transaction, before: Post): void {
  const values = { blogId: before.blogId, slug: before.slug, postId: before.id };
  tx.insert(oldSlugs)
    .values(values)
    .onConflictDoUpdate({ target: [oldSlugs.blogId, oldSlugs.slug], set: { postId: before.id } })
    .run();
}
