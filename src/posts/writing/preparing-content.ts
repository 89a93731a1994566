import type { Blog } from "../../blogs/blogs";
import { rowOf } from "../../database/rows";
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
import type { Author, Content, Post } from "../post/post";
import { RENDER_TIMEOUT_MS, renderingQueue } from "../post/post";
import { contentOf } from "../storage/stored-posts";
import { checkChanges, type PostChanges } from "./post-input";

const MAX_STRAY_ALT_TEXTS = 20;

type PreviewRequest = { blog: Blog; before: Post | null; changes: PostChanges };
type ContentRequest = PreviewRequest & { properties: Properties };

export type PreparedContent = NonNullable<Awaited<ReturnType<typeof prepareContent>>>;

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

/** @returns `blobIds`: ids of the shown files, in order; undefined if nothing was rendered */
export function contentChanges(changes: PostChanges, prepared: PreparedContent | null) {
  if (!prepared) return { content: null, previous: null, warnings: [] };
  const { parts, rendered, previous } = prepared;
  const { blobs, warnings } = rendered;
  const content = contentOfParts(parts, rendered);
  // A client that sends back `content.html` changes nothing, even if the source is Markdown.
  const isSentBack = content.html === previous?.html && parts.sourceType === "html";
  return {
    content: isSentBack || Bun.deepEquals(content, previous) ? null : content,
    previous,
    blobIds: blobs.map(({ id }) => id),
    warnings: changes.altText ? [...warnings, ...strayAltTexts(changes.altText, blobs)] : warnings,
  };
}

function contentOfParts({ source, sourceType }: ContentParts, { html, text }: RenderedContent): Content {
  return { source, sourceType, html, text };
}

function partsOf(platen: Platen, request: ContentRequest, previous: Content | null): ContentParts {
  const { blog, before, changes, properties } = request;
  const { content: source = previous?.source ?? "", altText = before?.altText ?? {} } = changes;
  const currentType = changes.content === undefined ? previous?.sourceType : undefined;
  const ownMedia = ownMediaFolders(properties).flatMap((folder) => {
    const blob = blobInFolder(platen, folder);
    return blob?.blogId === blog.id ? [{ blob, sgid: sgidOf(platen, blob) }] : [];
  });
  const embedded = [...new Set(sgidsIn(source))].flatMap((sgid): [string, StoredBlob][] => {
    const id = blobIdInSgid(platen, blog.id, sgid);
    const blob = id === null ? undefined : blobWithId(platen, id);
    return blob?.blogId === blog.id ? [[sgid, blob]] : [];
  });
  const sourceType = changes.contentType ?? currentType ?? "html";
  return { source, sourceType, altText, ownMedia, blobs: new Map(embedded) };
}

function strayAltTexts(altText: Record<string, string>, shown: StoredBlob[]): string[] {
  const filenames = new Set(shown.map(({ filename }) => filename));
  const strays = Object.keys(altText).filter((name) => !filenames.has(name));
  const warn = (name: string) =>
    `alt_text names "${name.slice(0, 200)}", which is not an attachment of this post.`;
  return strays.slice(0, MAX_STRAY_ALT_TEXTS).map(warn);
}

/** Applies only title, content, alt texts and language. Saves nothing. @throws Refusal: invalid, busy */
export async function previewPost(platen: Platen, author: Author, request: PreviewRequest) {
  const { blog, before } = request;
  const changes = checkChanges(request.changes);
  const post = before ?? unwrittenPost(platen, blog);
  const { properties } = post;
  const prepared = await prepareContent(platen, author, { blog, before, changes, properties });
  const content = prepared ? contentOfParts(prepared.parts, prepared.rendered) : contentOf(platen, post.id);
  const { title = post.title, altText = post.altText, language = post.language } = changes;
  return { ...post, title, altText, language, ...content, translationOf: null };
}

function unwrittenPost(platen: Platen, blog: Blog): Post {
  const at = platen.now();
  // If the excerpt were null, it would be loaded from the database.
  const texts = { title: "", slug: "", excerpt: "" };
  const row = { ...texts, id: 0, blogId: blog.id, status: "draft", createdAt: at, updatedAt: at } as const;
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
  const options = { isPlain: false };
  return renderInWorker<typeof markdownToHtml>(author, "markdownToHtml", clean.length, clean, options);
}

async function renderInWorker<Called extends typeof renderContent | typeof markdownToHtml>(
  author: Author,
  name: string,
  characters: number,
  ...input: Parameters<Called>
): Promise<ReturnType<Called>> {
  try {
    const cost = { within: RENDER_TIMEOUT_MS, characters, source: renderingQueue(author) };
    return await workerQueues.authors.run<Called>(name, cost, ...input);
  } catch (error) {
    if (!(error instanceof JobLimitExceeded)) throw error;
    throw invalid({ content: [overrunMessage(error, RENDER_TIMEOUT_MS)] });
  }
}
