import type { Blog } from "../../blogs/blogs";
import { rowOf } from "../../database/prepared";
import { posts } from "../../database/schema";
import { blobIdInSgid, prepareSgids, sgidOf } from "../../media/attachment-element";
import { blobInFolder, blobWithId, type StoredBlob } from "../../media/files/blobs";
import type { Platen } from "../../platen";
import { isInvisible } from "../../text/clean-text";
import type { ContentParts, RenderedContent } from "../content/rendering";
import { ownMediaFolders, type Properties } from "../post/mf2-properties";
import type { Content, Post, WholePost } from "../post/post";
import { contentOf } from "../storage/stored-content";
import type { Author } from "./author";
import { checkChanges, type PostChanges } from "./post-changes";
import { renderParts } from "./rendering-in-worker";

/** alt_text entries that fit no picture and are named in warnings. */
const MAX_NAMED = 20;

/** What content is made from: the post, its changes and its properties after them. */
export interface ContentRequest {
  blog: Blog;
  before: Post | null;
  changes: PostChanges;
  properties: Properties;
}

/** Content rendered before its transaction, with all that it was made from. */
export interface PreparedContent {
  parts: ContentParts;
  rendered: RenderedContent;
  /** The content before the save; null for a new post. */
  previous: Content | null;
}

/** Renders the content after the changes; null if they touch nothing that it is made from. @throws Refusal (invalid) */
export async function prepareContent(
  platen: Platen,
  author: Author,
  request: ContentRequest,
): Promise<PreparedContent | null> {
  const { before, changes } = request;
  const sources = [changes.content, changes.contentType, changes.altText, changes.properties];
  if (before && sources.every((source) => source === undefined)) return null;
  prepareSgids(platen);
  const previous = before && contentOf(platen, before.id);
  let sgids: string[] = [];
  for (;;) {
    const parts = partsOf(platen, request, previous, sgids);
    const rendered = await renderParts(author, parts);
    if ("html" in rendered) return { parts, rendered, previous };
    sgids = [...sgids, ...rendered.unknown];
  }
}

/** Has anything that the content was made from, such as a file it shows, changed since it was prepared? */
export function isStaleContent(platen: Platen, request: ContentRequest, prepared: PreparedContent): boolean {
  const { parts, previous } = prepared;
  return !Bun.deepEquals(partsOf(platen, request, previous, [...parts.blobs.keys()]), parts);
}

export interface ContentChange {
  /** null if the content stays as it is. */
  content: Content | null;
  previous: Content | null;
  /** Files that it shows, in order; absent if nothing was rendered. */
  blobIds?: number[];
  /** What was left out, and why, in sentences. */
  warnings: string[];
}

/** What the prepared content changes in the post. */
export function contentChanges(changes: PostChanges, prepared: PreparedContent | null): ContentChange {
  if (!prepared) return { content: null, previous: null, warnings: [] };
  const { parts, rendered, previous } = prepared;
  const { html, text, blobs, warnings } = rendered;
  const content = { source: parts.source, sourceType: parts.sourceType, html, text };
  return {
    content: isSame(content, previous) ? null : content,
    previous,
    blobIds: blobs.map(({ id }) => id),
    warnings: [...warnings, ...strayAltTexts(changes, blobs)],
  };
}

/** `content.html` sent back changes nothing, even if the source was Markdown, which is then kept. */
function isSame(content: Content, previous: Content | null): boolean {
  const isSentBack = content.html === previous?.html && content.sourceType === "html";
  return isSentBack || Bun.deepEquals(content, previous);
}

function partsOf(
  platen: Platen,
  { blog, before, changes, properties }: ContentRequest,
  previous: Content | null,
  sgids: string[],
): ContentParts {
  const sourceType =
    changes.contentType ?? (changes.content === undefined ? previous?.sourceType : undefined);
  return {
    source: changes.content ?? previous?.source ?? "",
    sourceType: sourceType ?? "html",
    altText: changes.altText ?? before?.altText ?? {},
    ownMedia: mediaIn(platen, blog, properties),
    blobs: new Map(sgids.map((sgid) => [sgid, blobOfBlog(platen, blog, sgid)])),
  };
}

/** An alt text is found by the exact filename that the upload returned. */
function strayAltTexts({ altText = {} }: PostChanges, shown: StoredBlob[]): string[] {
  const filenames = new Set(shown.map(({ filename }) => filename));
  const strays = Object.keys(altText).filter((name) => !filenames.has(name));
  return strays
    .slice(0, MAX_NAMED)
    .map((name) => `alt_text names "${name.slice(0, 200)}", which is no attachment of this post.`);
}

/** Content that shows nothing: no text, and no picture, video or frame either. */
export function isBlankContent({ html, text }: Pick<Content, "html" | "text">): boolean {
  return isInvisible(text) && !/<(img|video|audio|iframe|hr)\b/.test(html);
}

/** null if the signed id is forged, or of another blog. */
function blobOfBlog(platen: Platen, blog: Blog, sgid: string): StoredBlob | null {
  const id = blobIdInSgid(platen, blog.id, sgid);
  if (id === null) return null;
  const found = blobWithId(platen, id);
  return found?.blogId === blog.id ? found : null;
}

/** The files of the blog that the properties name as the post's photos and videos. */
function mediaIn(platen: Platen, blog: Blog, properties: Properties) {
  return ownMediaFolders(properties)
    .map((folder) => blobInFolder(platen, folder))
    .filter((blob) => blob?.blogId === blog.id)
    .map((blob) => ({ blob: blob as StoredBlob, sgid: sgidOf(platen, blob as StoredBlob) }));
}

/** The post as it would be with these changes; nothing is saved. @param before null for a new post @throws Refusal (invalid) */
export async function previewPost(
  platen: Platen,
  author: Author,
  { blog, before, changes: wish }: { blog: Blog; before: Post | null; changes: PostChanges },
): Promise<WholePost> {
  const changes = checkChanges(wish);
  const post = before ?? unwrittenPost(platen, blog);
  const { properties } = post;
  const prepared = await prepareContent(platen, author, { blog, before, changes, properties });
  const content = prepared
    ? { ...prepared.rendered, source: prepared.parts.source, sourceType: prepared.parts.sourceType }
    : contentOf(platen, post.id);
  const { html, text, source, sourceType } = content;
  const { title = post.title, altText = post.altText } = changes;
  return { ...post, title, altText, html, text, source, sourceType };
}

function unwrittenPost(platen: Platen, blog: Blog): Post {
  const at = platen.now();
  const row = {
    id: 0,
    blogId: blog.id,
    status: "draft",
    title: "",
    slug: "",
    // Null would be one that is found in what is stored.
    excerpt: "",
    createdAt: at,
    updatedAt: at,
  } as const;
  return { ...rowOf(posts, row), blog, category: null, tags: [], attachments: [] };
}
