import type { Blog } from "../../blogs/blogs";
import { isInvisible } from "../../clean-text";
import { changingPostsOnly } from "../../database/data-version";
import { inserting, updating } from "../../database/prepared";
import { posts } from "../../database/schema";
import { inTransaction } from "../../database/transactions";
import { demandRoom } from "../../disk-space";
import { invalid, notFound } from "../../errors";
import type { Platen } from "../../platen";
import { keepRevision } from "../parts/kept-revisions";
import { keepOldSlug } from "../parts/old-slugs";
import { attachBlobs } from "../parts/post-attachments";
import { contentFields, keepContent, type Present } from "../parts/post-content";
import { categoryOfRow, postOfRow } from "../parts/whole-post";
import { isLive } from "../post/live";
import {
  mergedProperties,
  type Properties,
  propertiesWithoutBase,
  standsAlone,
} from "../post/mf2-properties";
import type { Content, Post, PostRow } from "../post/post";
import { indexPost, removeFromIndex } from "../search/search-index";
import { chosenCategory } from "../topics/categories";
import { tagPost } from "../topics/tags";
import { announce, announceNew } from "./announcing";
import { checkedChanges, type PostChanges, plainFields } from "./post-changes";
import { slugAfter, unusedSlug } from "./post-slug";
import type { Rendered } from "./rendered-content";
import { contentAfter, isBlank } from "./saved-content";
import { announceIfDue } from "./scheduled-posts";
import { shareIdAfter } from "./share-id";

export interface Saved {
  post: Post;
  /** What it says, where the save changed that. */
  content: Content | null;
  /** Where that is kept, as in `Present`. */
  longId: number | null;
  /** What was left out of the content, and why, in sentences. */
  warnings: string[];
}

/** A new post of the blog, a draft unless the changes say otherwise. @throws Refusal (invalid) */
export function createPost(platen: Platen, blog: Blog, draft: PostChanges, rendered: Rendered): Saved {
  return save(platen, blog, null, draft, rendered);
}

/** When a post was written and last changed, where it was written elsewhere. */
interface FormerTimes {
  createdAt: Date;
  updatedAt: Date;
}

/** A post that was written elsewhere: it keeps its times, and of one that readers know already nobody is told. @throws Refusal (invalid) */
export function takeOverPost(
  platen: Platen,
  blog: Blog,
  draft: PostChanges,
  times: FormerTimes,
  rendered: Rendered,
): Saved {
  return save(platen, blog, null, draft, rendered, times);
}

/** The post with these changes; one that changes nothing leaves everything as it was, `updatedAt` too. @throws Refusal (invalid) */
export function updatePost(platen: Platen, post: Post, changes: PostChanges, rendered: Rendered): Saved {
  return save(platen, post.blog, post, changes, rendered);
}

/** Live from now on, or at its time where that lies ahead. */
export function publishPost(platen: Platen, post: Post, rendered: Rendered): Saved {
  return updatePost(platen, post, { status: "published" }, rendered);
}

/** Back to a draft; it keeps the time it was published at. */
export function unpublishPost(platen: Platen, post: Post, rendered: Rendered): Saved {
  return updatePost(platen, post, { status: "draft" }, rendered);
}

/** Off the site and out of every list; its address answers 404. */
export function deletePost(platen: Platen, post: Post): void {
  const at = platen.now();
  inTransaction(platen, () => {
    announceIfDue(platen, post, at);
    const after = writtenRow(platen, post.id, { deletedAt: at });
    removeFromIndex(platen, post.id);
    announce(platen, { blog: post.blog, after, at });
  });
}

/** Brings a deleted post back as it was, at another address where a newer post has taken its own. */
export function undeletePost(platen: Platen, blog: Blog, deleted: PostRow, rendered: Rendered): Post {
  return inTransaction(platen, () => {
    const at = platen.now();
    const slug = unusedSlug(platen, blog.id, deleted.slug, deleted.id);
    const row = writtenRow(platen, deleted.id, { deletedAt: null, slug, updatedAt: at });
    indexPost(platen, row, rendered.present(platen, row).whole().text);
    announce(platen, { blog, after: row, at });
    return postOfRow(platen, row, blog);
  });
}

/** Every way a post comes to be or changes, deletion apart, goes through here: content first, then one transaction. */
function save(
  platen: Platen,
  blog: Blog,
  before: Post | null,
  wish: PostChanges,
  rendered: Rendered,
  formerTimes?: FormerTimes,
): Saved {
  const at = platen.now();
  const changes = checkedChanges(wish);
  const properties = propertiesAfter(platen, before, changes);
  const saved = contentAfter(platen, blog, before, changes, properties, rendered);
  const { content, present, blobIds, warnings } = saved;
  if (before === null || content !== null) demandRoom(platen);
  const title = changes.title ?? before?.title ?? "";
  const isIndexedAnew =
    before?.title !== title || (content !== null && content.text !== present?.whole().text);
  const text = isIndexedAnew
    ? (content?.text ?? rendered.present(platen, before as Post).whole().text)
    : null;
  const longId = content && rendered.longContent(platen, blog, content);
  return inTransaction(platen, () => {
    const fields = {
      ...plainFields(changes),
      title,
      ...(content && contentFields(content, before)),
      properties,
      ...stateAfter(before, changes, at),
      slug: slugAfter(platen, blog, before, changes, content?.text ?? "", at),
      categoryId: categoryAfter(platen, blog, before, changes),
      shareId: shareIdAfter(before, changes.isShared),
    };
    const showsNothing = () =>
      content ? isBlank(content) : isStillBlank(before as Post, rendered.present(platen, before as Post));
    if (saysNothing({ summary: before?.summary, ...fields }) && showsNothing())
      throw invalid({ content: ["or title must not be blank"] });
    const changed = before && changedFields(before, fields, changes.tags);
    if (before && changed?.length === 0) return { post: before, content, longId, warnings };

    const post = changingPostsOnly(platen, () => {
      if (before) announceIfDue(platen, before, at);
      const row = before
        ? writtenRow(platen, before.id, { ...fields, updatedAt: at })
        : newRow(
            platen,
            { ...fields, blogId: blog.id, createdAt: at, updatedAt: at, madeBy: rendered.by, ...formerTimes },
            at,
          );
      if (before) keepRevision(platen, before, content && present, at, rendered.by);
      if (content) keepContent(platen, row.id, content, longId);
      keepOldSlug(platen, before, row);
      const had = { tags: before?.tags ?? [], attachments: before?.attachments ?? [] };
      const attachments = blobIds ? attachBlobs(platen, row.id, blobIds, had.attachments) : had.attachments;
      const tags = changes.tags ? tagPost(platen, blog.id, row.id, changes.tags) : had.tags;
      if (text !== null) indexPost(platen, row, text);
      if (!changed) {
        if (!formerTimes) announceNew(platen, blog, row, at);
      } else if (!concernsOnlyKomments(changed)) announce(platen, { blog, before, after: row, at });
      return { ...row, blog, category: categoryOfRow(platen, row), tags, attachments };
    });
    return { post, content, longId, warnings };
  });
}

function propertiesAfter(platen: Platen, before: Post | null, { properties }: PostChanges): Properties {
  const kept = before?.properties ?? {};
  return properties ? mergedProperties(kept, propertiesWithoutBase(properties, platen.config.url)) : kept;
}

/** What is published has a time: the one asked for, the one it had, or this moment. */
function stateAfter(before: Post | null, changes: PostChanges, at: Date) {
  const status = changes.status ?? before?.status ?? "draft";
  const asked = changes.publishedAt === undefined ? (before?.publishedAt ?? null) : changes.publishedAt;
  return { status, publishedAt: status === "published" ? (asked ?? at) : asked };
}

function categoryAfter(platen: Platen, blog: Blog, before: Post | null, changes: PostChanges): number | null {
  const chosen = chosenCategory(platen, blog.id, changes);
  return chosen === undefined ? (before?.categoryId ?? null) : chosen;
}

/** But for its content, perhaps. */
function saysNothing({
  title,
  summary,
  properties,
}: Pick<PostRow, "title" | "properties"> & { summary?: string | null }): boolean {
  return isInvisible(title) && isInvisible(summary ?? "") && !standsAlone(properties);
}

/** A long one need not be read for the most part. */
function isStillBlank({ excerpt }: Pick<PostRow, "excerpt">, present: Present): boolean {
  return isInvisible(excerpt ?? "") && isBlank(present.whole());
}

/** What a reader, a client or the owner could tell apart; nothing where a save changes nothing. */
function changedFields(before: Post, fields: Partial<PostRow>, tags = before.tags): (keyof Post)[] {
  const after = { ...fields, tags };
  const names = Object.keys(after) as (keyof typeof after)[];
  return names.filter((name) => !Bun.deepEquals(before[name], after[name]));
}

/** Webhooks hear nothing of it (interface.md Webhooks 2). */
function concernsOnlyKomments(changed: (keyof Post)[]): boolean {
  return changed.every((name) => name === "kommentsDisabled");
}

function newRow(platen: Platen, fields: typeof posts.$inferInsert, at: Date): PostRow {
  const { status, publishedAt = null } = fields;
  return insertPost(platen, { ...fields, isAnnounced: isLive({ status, publishedAt, deletedAt: null }, at) });
}

const insertPost = inserting(posts);
const updatePostRow = updating(posts);

/** @throws Refusal (missing) where it was removed meanwhile, with its blog */
function writtenRow(platen: Platen, id: number, fields: Partial<PostRow>): PostRow {
  const row = updatePostRow(platen, id, fields);
  if (!row) throw notFound("post");
  return row;
}
