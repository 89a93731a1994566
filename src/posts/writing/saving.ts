import { type Blog, postUrl } from "../../blogs/blogs";
import { prepareInsert, updateRow, updateRows } from "../../database/rows";
import { posts } from "../../database/schema";
import { inSharedTransaction, inTransaction, type NoPromise } from "../../database/transactions";
import { recordEvent } from "../../deliveries/events-and-debouncing";
import { conflict, invalid, requireFound } from "../../errors";
import type { Platen } from "../../platen";
import { assertDiskSpace } from "../../runtime/disk-space";
import { newSecret } from "../../secrets";
import { isInvisible } from "../../text/clean-text";
import { type EventName, recordWebhookEvent } from "../../webhooks/webhook-events";
import type { Properties } from "../post/mf2-properties";
import { canReplaceContent, mergeProperties, relativizeProperties } from "../post/mf2-properties";
import type { Author, Content, Post, PostRow, SavedBy } from "../post/post";
import { authorName, isLive } from "../post/post";
import { resolveCategory, tagPost } from "../storage/categories-and-tags";
import { indexPost } from "../storage/full-text-search";
import { resolveSlug, storeOldSlug } from "../storage/slugs-and-permanent-ids";
import {
  attachBlobs,
  categoryOfRow,
  contentFields,
  contentOf,
  postRow,
  storeContent,
} from "../storage/stored-posts";
import { resolveTranslationGroup } from "../storage/translations";
import { checkChanges, type PostChanges, plainFields } from "./post-input";
import { contentChanges, isStaleContent, type PreparedContent, prepareContent } from "./preparing-content";
import { storeRevision } from "./revisions";

/**
 * `savePost` validates and renders first, then writes everything in one short transaction. If the post has
 * changed in between, the transaction loads the request again. If the rendered content is out of date, both
 * steps run again.
 */

export interface SaveRequest {
  blog: Blog;
  before: Post | null;
  changes: PostChanges;
  /** Times of an imported post, which is always new. The post keeps them, and no event is recorded. */
  originalTimes?: { createdAt: Date; updatedAt: Date };
}

export interface Saved {
  post: Post;
  /** null if unchanged. */
  content: Content | null;
  warnings: string[];
}

export interface PreparedSave extends SaveRequest {
  savedBy: SavedBy | null;
  properties: Properties;
  prepared: PreparedContent | null;
}

const MAX_ATTEMPTS = 3;

class StaleBase extends Error {}

/**
 * A save without changes keeps everything, including `updatedAt`.
 * @param request loads and authorizes the post; may run again in the transaction
 * @param commit runs in the transaction and calls `save`
 * @throws Refusal; errors of `request` and `commit`
 */
export async function savePost<Result>(
  platen: Platen,
  author: Author,
  request: () => SaveRequest,
  commit: (save: () => Saved) => NoPromise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    const prepared = await prepareSave(platen, author, request());
    const save = () => commitSave(platen, upToDate(platen, prepared, request));
    try {
      return await inSharedTransaction(platen, () => commit(save));
    } catch (error) {
      if (!(error instanceof StaleBase)) throw error;
      if (attempt === MAX_ATTEMPTS)
        throw conflict("Someone else changed this post while it was being saved. Try again.");
    }
  }
}

async function prepareSave(platen: Platen, author: Author, request: SaveRequest): Promise<PreparedSave> {
  const checked = checkedRequest(platen, request);
  const prepared = await prepareContent(platen, author, checked);
  return { ...checked, savedBy: authorName(author), prepared };
}

function checkedRequest(platen: Platen, request: SaveRequest) {
  const changes = checkChanges(request.changes);
  const stored = request.before?.properties ?? {};
  const properties = changes.properties
    ? mergeProperties(stored, relativizeProperties(changes.properties, platen.config.url))
    : stored;
  return { ...request, changes, properties };
}

function upToDate(platen: Platen, save: PreparedSave, request: () => SaveRequest): PreparedSave {
  const isChanged = save.before !== null && hasChanged(platen, save.before);
  const current = isChanged ? { ...save, ...checkedRequest(platen, request()) } : save;
  const { prepared } = current;
  if (!prepared) return current;
  const { blobs, ownMedia } = prepared.parts;
  if (!isChanged && blobs.size + ownMedia.length === 0) return current;
  const previous = isChanged && current.before ? contentOf(platen, current.before.id) : prepared.previous;
  if (isStaleContent(platen, current, { ...prepared, previous })) throw new StaleBase();
  return { ...current, prepared: { ...prepared, previous } };
}

/** Call this function in a transaction. */
export function commitSave(platen: Platen, save: PreparedSave): Saved {
  const { blog, before, changes, properties, prepared, savedBy, originalTimes } = save;
  const at = platen.now();
  const { content, previous, blobIds, warnings } = contentChanges(changes, prepared);
  if (before === null || content !== null) assertDiskSpace(platen);
  const fields = {
    ...plainFields(changes),
    title: changes.title ?? before?.title ?? "",
    ...(content && contentFields(content, before)),
    properties,
    ...(changes.reach !== undefined && { reach: changes.reach && { ...before?.reach, ...changes.reach } }),
    ...stateAfter(before, changes, at),
    slug: resolveSlug(platen, blog, before, { ...changes, text: content?.text ?? "" }),
    categoryId: resolveCategory(platen, blog.id, before, changes),
    shareId: resolveShareId(before, changes.isShared),
    translationGroup: resolveTranslationGroup(platen, blog, before, changes.translationOf),
  };
  if (isBlank(platen, before, fields, content)) throw invalid({ content: ["or title is required"] });
  const changed = before && changedFields(before, fields, changes.tags);
  if (before && changed?.length === 0) return { post: before, content, warnings };

  if (before) recordEventIfDue(platen, before, at);
  const row = before
    ? updatePostFields(platen, before.id, { ...fields, updatedAt: at })
    : insertPost(platen, {
        ...{ ...fields, blogId: blog.id, createdAt: at, updatedAt: at, madeBy: savedBy, ...originalTimes },
        isAnnounced: isLive({ ...fields, deletedAt: null }, at),
      });
  if (before) storeRevision(platen, before, content && previous, { at, replacedBy: savedBy });
  if (content) storeContent(platen, row.id, content);
  storeOldSlug(platen, before, row);
  const kept = { tags: before?.tags ?? [], attachments: before?.attachments ?? [] };
  const attachments = blobIds ? attachBlobs(platen, row.id, blobIds, kept.attachments) : kept.attachments;
  const tags = changes.tags ? tagPost(platen, blog.id, row.id, changes.tags) : kept.tags;
  if (before?.title !== row.title || (content && content.text !== previous?.text))
    indexPost(platen, row, (content ?? previous ?? contentOf(platen, row.id)).text);
  const hasEvent = changed ? changed.some((name) => name !== "kommentsDisabled") : !originalTimes;
  if (hasEvent) recordPostEvent(platen, { blog, before, after: row, at });
  const post = { ...row, blog, category: categoryOfRow(platen, row), tags, attachments };
  return { post, content, warnings };
}

type StateChanges = Omit<PostChanges, "content" | "contentType" | "altText" | "properties">;

/** @throws Refusal */
export function changePost(platen: Platen, author: Author, post: Post, changes: StateChanges): Saved {
  const { blog, properties } = post;
  const request = { blog, before: post, changes: checkChanges(changes), properties };
  const save = { ...request, savedBy: authorName(author), prepared: null };
  return inTransaction(platen, () => commitSave(platen, save));
}

export function publishPost(platen: Platen, author: Author, post: Post): Saved {
  return changePost(platen, author, post, { status: "published" });
}

export function unpublishPost(platen: Platen, author: Author, post: Post): Saved {
  return changePost(platen, author, post, { status: "draft" });
}

function hasChanged(platen: Platen, before: Post): boolean {
  const row = requireFound(postRow(platen, before.id), "post");
  return Object.entries(row).some(([name, value]) => !Bun.deepEquals(value, before[name as keyof PostRow]));
}

function stateAfter(before: Post | null, changes: PostChanges, at: Date) {
  const status = changes.status ?? before?.status ?? "draft";
  const time = changes.publishedAt === undefined ? (before?.publishedAt ?? null) : changes.publishedAt;
  return { status, publishedAt: status === "published" ? (time ?? at) : time };
}

const SHARE_ID_LENGTH = 16;

function resolveShareId(before: Post | null, isShared: boolean | undefined): string | null {
  if (isShared === undefined) return before?.shareId ?? null;
  return isShared ? (before?.shareId ?? newSecret(SHARE_ID_LENGTH)) : null;
}

type TextFields = Pick<PostRow, "title" | "properties"> & Partial<PostRow>;

function isBlank(platen: Platen, before: Post | null, fields: TextFields, content: Content | null): boolean {
  const { title, properties, summary = before?.summary } = fields;
  if (!isInvisible(title) || !isInvisible(summary ?? "") || canReplaceContent(properties)) return false;
  if (!content && !isInvisible(before?.excerpt ?? "")) return false;
  const { html, text } = content ?? contentOf(platen, (before as Post).id);
  return isInvisible(text) && !/<(img|video|audio|iframe|hr)\b/.test(html);
}

function changedFields(before: Post, fields: Partial<PostRow>, tags = before.tags): (keyof Post)[] {
  const after = { ...fields, tags };
  const names = Object.keys(after) as (keyof typeof after)[];
  return names.filter((name) => !Bun.deepEquals(before[name], after[name]));
}

const insertPost = prepareInsert(posts);

export function updatePostFields(platen: Platen, id: number, fields: Partial<PostRow>): PostRow {
  return requireFound(updateRow(platen, posts, { id }, fields), "post");
}

interface PostChange {
  blog: Blog;
  after: PostRow;
  at: Date;
  /** Post before a save; null if new. Omitted for changes that keep the publication time. */
  before?: PostRow | null;
}

/** Records events for webhooks and other channels. Call this function in the transaction of the change. */
export function recordPostEvent(platen: Platen, change: PostChange): void {
  const { blog, after, at, before } = change;
  const isShown = isLive(after, at);
  const name = eventFor(change, isShown);
  if (name === null) return;
  const { id, slug, title, type, updatedAt } = after;
  const publishedAt = (isShown ? after : (before ?? after)).publishedAt as Date;
  const url = postUrl(platen, blog, after);
  const post = { id, slug, title, type, url, publishedAt, updatedAt };
  recordWebhookEvent(platen, blog, { name, at, post });
  for (const channel of blog.reach === null ? [] : Object.keys(blog.reach))
    recordEvent(platen, { channel, blogId: blog.id, postId: id, name, at });
  if (after.isAnnounced !== isShown) updateRows(platen, posts, { id }, { isAnnounced: isShown });
}

function eventFor({ after, before }: PostChange, isShown: boolean): EventName | null {
  if (isShown) return after.isAnnounced && before !== null ? "post.updated" : "post.published";
  if (!after.isAnnounced) return null;
  return after.deletedAt ? "post.deleted" : "post.unpublished";
}

/** Call this function in the transaction of a change. Otherwise `publishDuePosts` may miss a due post. */
export function recordEventIfDue(platen: Platen, post: Post, at: Date): void {
  if (isLive(post, at) && !post.isAnnounced) recordPostEvent(platen, { blog: post.blog, after: post, at });
}
