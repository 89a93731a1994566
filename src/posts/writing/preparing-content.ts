import type { Blog } from "../../blogs/blogs";
import { rowOf } from "../../database/prepared";
import { posts } from "../../database/schema";
import { invalid } from "../../errors";
import { blobIdInSgid, sgidOf } from "../../media/attachment-element";
import { blobInFolder, blobWithId, type StoredBlob } from "../../media/files/blobs";
import type { Platen } from "../../platen";
import { cleanText } from "../../text/clean-text";
import { JobLimitExceeded, overrunMessage, workerQueues } from "../../worker-queue";
import type { highlightCode } from "../content/highlighting";
import type { markdownToHtml } from "../content/markdown";
import type { ContentParts, RenderedContent, renderContent } from "../content/rendering";
import { sgidsIn } from "../media-library/file-mentions";
import { ownMediaFolders, type Properties } from "../post/mf2-properties";
import { type Author, type Content, type Post, renderingQueue, type WholePost } from "../post/post";
import { RENDER_TIMEOUT_MS } from "../post/post-limits";
import { contentOf } from "../storage/stored-posts";
import { checkChanges, type PostChanges } from "./post-input";

const MAX_STRAY_ALT_TEXTS = 20;

interface ContentRequest {
  blog: Blog;
  before: Post | null;
  changes: PostChanges;
  properties: Properties;
}

export interface PreparedContent {
  parts: ContentParts;
  rendered: RenderedContent;
  previous: Content | null;
}

/**
 * @returns null if the changes do not affect the content
 * @throws Refusal: invalid, busy
 */
export async function prepareContent(platen: Platen, author: Author, request: ContentRequest) {
  const { before, changes } = request;
  const sources = [changes.content, changes.contentType, changes.altText, changes.properties];
  if (before && sources.every((source) => source === undefined)) return null;
  const previous = before && contentOf(platen, before.id);
  const parts = partsOf(platen, request, previous);
  return { parts, rendered: await renderParts(author, parts), previous };
}

export function isStaleContent(platen: Platen, request: ContentRequest, prepared: PreparedContent): boolean {
  const { parts, previous } = prepared;
  return !Bun.deepEquals(partsOf(platen, request, previous), parts);
}

interface ContentChange {
  content: Content | null;
  previous: Content | null;
  /** Shown files, in order. undefined if nothing was rendered. */
  blobIds?: number[];
  warnings: string[];
}

export function contentChanges(changes: PostChanges, prepared: PreparedContent | null): ContentChange {
  if (!prepared) return { content: null, previous: null, warnings: [] };
  const { parts, rendered, previous } = prepared;
  const { html, text, blobs, warnings } = rendered;
  const content = { source: parts.source, sourceType: parts.sourceType, html, text };
  // A client that sends back `content.html` changes nothing, even if the source is Markdown.
  const isSentBack = html === previous?.html && parts.sourceType === "html";
  return {
    content: isSentBack || Bun.deepEquals(content, previous) ? null : content,
    previous,
    blobIds: blobs.map(({ id }) => id),
    warnings: changes.altText ? [...warnings, ...strayAltTexts(changes.altText, blobs)] : warnings,
  };
}

function partsOf(
  platen: Platen,
  { blog, before, changes, properties }: ContentRequest,
  previous: Content | null,
): ContentParts {
  const source = changes.content ?? previous?.source ?? "";
  const sourceType =
    changes.contentType ?? (changes.content === undefined ? previous?.sourceType : undefined);
  return {
    source,
    sourceType: sourceType ?? "html",
    altText: changes.altText ?? before?.altText ?? {},
    ownMedia: ownMediaFolders(properties).flatMap((folder) => {
      const blob = blobInFolder(platen, folder);
      return blob?.blogId === blog.id ? [{ blob, sgid: sgidOf(platen, blob) }] : [];
    }),
    blobs: new Map(
      [...new Set(sgidsIn(source))].flatMap((sgid) => {
        const blob = blobOfBlog(platen, blog, sgid);
        return blob ? [[sgid, blob]] : [];
      }),
    ),
  };
}

function strayAltTexts(altText: Record<string, string>, shown: StoredBlob[]): string[] {
  const filenames = new Set(shown.map(({ filename }) => filename));
  const strays = Object.keys(altText).filter((name) => !filenames.has(name));
  return strays
    .slice(0, MAX_STRAY_ALT_TEXTS)
    .map((name) => `alt_text names "${name.slice(0, 200)}", which is not an attachment of this post.`);
}

function blobOfBlog(platen: Platen, blog: Blog, sgid: string): StoredBlob | null {
  const id = blobIdInSgid(platen, blog.id, sgid);
  if (id === null) return null;
  const found = blobWithId(platen, id);
  return found?.blogId === blog.id ? found : null;
}

/**
 * Applies only title, content, alt texts and language. Saves nothing.
 * @throws Refusal: invalid, busy
 */
export async function previewPost(
  platen: Platen,
  author: Author,
  { blog, before, changes: requested }: { blog: Blog; before: Post | null; changes: PostChanges },
): Promise<WholePost> {
  const changes = checkChanges(requested);
  const post = before ?? unwrittenPost(platen, blog);
  const { properties } = post;
  const prepared = await prepareContent(platen, author, { blog, before, changes, properties });
  const content = prepared
    ? { ...prepared.rendered, source: prepared.parts.source, sourceType: prepared.parts.sourceType }
    : contentOf(platen, post.id);
  const { html, text, source, sourceType } = content;
  const { title = post.title, altText = post.altText, language = post.language } = changes;
  return { ...post, title, altText, language, html, text, source, sourceType, translationOf: null };
}

function unwrittenPost(platen: Platen, blog: Blog): Post {
  const at = platen.now();
  const row = {
    id: 0,
    blogId: blog.id,
    status: "draft",
    title: "",
    slug: "",
    // null would load the excerpt from the database.
    excerpt: "",
    createdAt: at,
    updatedAt: at,
  } as const;
  return { ...rowOf(posts, row), blog, category: null, tags: [], attachments: [] };
}

/** In characters. For HTML up to this length, a worker is slower than the main thread. */
const MAX_HTML_RENDERED_HERE = 8_000;

async function renderParts(author: Author, parts: ContentParts): Promise<RenderedContent> {
  const isShortHtml = parts.sourceType === "html" && parts.source.length <= MAX_HTML_RENDERED_HERE;
  const content = isShortHtml
    ? (await import("../content/rendering")).renderContent(parts)
    : await renderInWorker<typeof renderContent>(author, "renderContent", parts.source.length, parts);
  return content.html.includes('<code class="language-')
    ? { ...content, html: await highlightBlocks(author, content.html) }
    : content;
}

async function highlightBlocks(author: Author, html: string): Promise<string> {
  try {
    const cost = { within: RENDER_TIMEOUT_MS, characters: html.length, source: renderingQueue(author) };
    return await workerQueues.authors.run<typeof highlightCode>("highlightCode", cost, html);
  } catch (error) {
    if (error instanceof JobLimitExceeded) return html;
    throw error;
  }
}

/** @throws Refusal: invalid (content), busy */
export function renderMarkdown(author: Author, markdown: string): Promise<string> {
  const clean = cleanText(markdown);
  return renderInWorker<typeof markdownToHtml>(author, "markdownToHtml", clean.length, clean, {
    isPlain: false,
  });
}

async function renderInWorker<Called extends typeof renderContent | typeof markdownToHtml>(
  author: Author,
  name: string,
  characters: number,
  ...input: Parameters<Called>
): Promise<ReturnType<Called>> {
  try {
    return await workerQueues.authors.run<Called>(
      name,
      { within: RENDER_TIMEOUT_MS, characters, source: renderingQueue(author) },
      ...input,
    );
  } catch (error) {
    if (!(error instanceof JobLimitExceeded)) throw error;
    throw invalid({ content: [overrunMessage(error, RENDER_TIMEOUT_MS)] });
  }
}
