import { and, asc, eq, isNotNull, isNull, lte } from "drizzle-orm";
import type { Blog } from "../../blogs/blogs";
import { findRow, findRows, findValues } from "../../database/rows";
import { blobs, komments, oldSlugs, posts, revisions } from "../../database/schema";
import { blobIdInSgid } from "../../media/attachment-element";
import { blobWithId, type StoredBlob } from "../../media/files/blobs";
import { fileBytes } from "../../media/files/media-store";
import type { Platen } from "../../platen";
import { EMBED_MARK, type Embed, extractEmbeds } from "../../posts/content/attachment-figures";
import { insertBaseUrl } from "../../posts/post/mf2-properties";
import { altTextOf, type Content, type WholePost } from "../../posts/post/post";
import { TOPIC_TABLES, type Topic, type TopicKind } from "../../posts/storage/categories-and-tags";
import { postsWithIds, wholePost } from "../../posts/storage/stored-posts";
import type { RevisionFields } from "../../posts/writing/revisions";
import { type Html, html } from "../../text/html";
import {
  figureHtml,
  findElements,
  type HtmlElement,
  parseHtml,
  replaceWithHtml,
  serializeHtml,
  trimmedText,
} from "../import/items/html-content";
import { type ExportContext, tryOrReport } from "./export-blog";

/** Sorted by id, except that posts in the trash come last. */
export function listPostIds(platen: Platen, blog: Blog, { withTrash = false } = {}): number[] {
  const where = and(eq(posts.blogId, blog.id), withTrash ? undefined : isNull(posts.deletedAt));
  return findValues(platen, posts, "id", where, { orderBy: [isNotNull(posts.deletedAt), posts.id] });
}

export function* eachPost(platen: Platen, blog: Blog, options?: { withTrash: boolean }) {
  for (const id of listPostIds(platen, blog, options)) {
    const [post] = postsWithIds(platen, blog, [id]);
    if (post) yield wholePost(platen, post);
  }
}

export function listLiveSlugs(platen: Platen, blog: Blog): string[] {
  const where = and(eq(posts.blogId, blog.id), isLiveAt(platen.now()));
  return findValues(platen, posts, "slug", where, { orderBy: posts.id });
}

export function listPreviousPaths({ db, now }: Platen, blog: Blog) {
  return db
    .select({ former: oldSlugs.slug, slug: posts.slug })
    .from(oldSlugs)
    .innerJoin(posts, eq(posts.id, oldSlugs.postId))
    .where(and(eq(oldSlugs.blogId, blog.id), isLiveAt(now())))
    .orderBy(asc(oldSlugs.slug))
    .all();
}

const isLiveAt = (now: Date) =>
  and(eq(posts.status, "published"), isNull(posts.deletedAt), lte(posts.publishedAt, now));

export function listTopics(platen: Platen, blog: Blog, kind: TopicKind): Topic[] {
  const table = TOPIC_TABLES[kind];
  return findRows(platen, table, { blogId: blog.id }, { orderBy: table.id });
}

export function listKomments(platen: Platen, postId: number) {
  return findRows(platen, komments, { postId }, { orderBy: komments.id });
}

export interface StoredRevision {
  replacedAt: Date;
  fields: RevisionFields;
}

/** Reads one revision at a time, because a post may have hundreds of long ones. */
export function* eachRevision(platen: Platen, postId: number): Generator<StoredRevision> {
  for (const id of findValues(platen, revisions, "id", { postId }, { orderBy: revisions.id })) {
    const revision = findRow(platen, revisions, { id });
    if (revision) yield revision;
  }
}

interface LinkedSource extends Pick<Content, "source" | "sourceType"> {
  blogId: number;
  altText: Record<string, string>;
}

const ELEMENT =
  /<action-text-attachment(?:\s(?:[^<>"']|"[^"]{0,20000}"|'[^']{0,20000}'){0,100})?\/?>(?:\s{0,9}<\/action-text-attachment>)?/g;

const PARAGRAPH_OR_MARK = new RegExp(`<(/?)p(?=[\\s>])|${EMBED_MARK}(\\d+)${EMBED_MARK}`, "gi");

type AddressOf = (blob: StoredBlob) => string;

export function linkMedia(platen: Platen, post: LinkedSource, addressOf: AddressOf): string {
  const source = insertBaseUrl(post.source, platen.config.url);
  if (!/<action-text-attachment|data-sgid/.test(source)) return source;
  if (post.sourceType === "html") {
    const { html: marked, embeds } = extractEmbeds(source);
    let isInParagraph = false;
    return marked.replace(PARAGRAPH_OR_MARK, (whole, slash: string | undefined, number) => {
      if (slash !== undefined) isInParagraph = slash === "";
      if (number === undefined) return whole;
      const file = findFile(platen, post, embeds[Number(number)]);
      if (!file) return "";
      // Inside a paragraph, a <figure> would close the paragraph.
      const isWithin = isInParagraph && file.caption === "";
      const address = addressOf(file.blob);
      return isWithin ? mediaHtml(file, address).markup : figureHtml(mediaHtml(file, address), file.caption);
    });
  }
  return source.replace(ELEMENT, (element) => {
    const file = findFile(platen, post, extractEmbeds(element).embeds[0]);
    return file ? markdownImage(file, addressOf(file.blob)) : element;
  });
}

function findFile(platen: Platen, post: LinkedSource, embed?: Pick<Embed, "sgid" | "caption">) {
  const id = embed ? blobIdInSgid(platen, post.blogId, embed.sgid) : null;
  const blob = id === null ? undefined : blobWithId(platen, id);
  return blob && embed && { blob, caption: embed.caption, alt: altTextOf(blob, post.altText) };
}

function markdownImage({ alt, caption }: Omit<FigureFile, "blob">, address: string): string {
  const title = caption && ` "${escapeMarkdown(caption)}"`;
  // Parentheses would end the URL in Markdown.
  const target = address.replace(/[()']/g, (one) => `%${one.charCodeAt(0).toString(16)}`);
  return `![${escapeMarkdown(alt)}](${target}${title})`;
}

function escapeMarkdown(text: string): string {
  return text.replace(/\s+/g, " ").replace(/[\\`*_[\]<>()"&!]/g, "\\$&");
}

export interface FigureFile {
  blob: StoredBlob;
  caption: string;
  alt: string;
}

export function parseRenderedPost(platen: Platen, post: WholePost) {
  const document = parseHtml(insertBaseUrl(post.html, platen.config.url));
  const files = new Map<HtmlElement, FigureFile>();
  for (const figure of findElements(document, "figure")) {
    const sgid = figure.attribs["data-sgid"] ?? "";
    const caption = trimmedText(findElements(figure, "figcaption"));
    const file = findFile(platen, post, { sgid, caption });
    if (file) files.set(figure, file);
  }
  return { document, files };
}

export function standaloneHtml(platen: Platen, post: WholePost, addressOf: AddressOf): string {
  const { document, files } = parseRenderedPost(platen, post);
  for (const [figure, file] of files)
    replaceWithHtml(figure, figureHtml(mediaHtml(file, addressOf(file.blob)), file.caption));
  return serializeHtml(document.children);
}

function mediaHtml({ blob, alt }: Omit<FigureFile, "caption">, address: string): Html {
  const size = blob.width && blob.height && html` width="${blob.width}" height="${blob.height}"`;
  return blob.mediaType === "video"
    ? html`<video controls src="${address}"${size}${alt && html` aria-label="${alt}"`}></video>`
    : html`<img src="${address}" alt="${alt}"${size}>`;
}

export async function writeMediaFiles(context: ExportContext, pathsOf = inOneFolder): Promise<void> {
  const { platen, blog, out, report } = context;
  for (const file of listFiles(platen, blog)) {
    const { path, poster } = pathsOf(file);
    await tryOrReport(context, file.filename, async () => {
      await out.bytes(path, file.createdAt, await fileBytes(platen, file, file.filename));
      report.files++;
      if (file.hasPoster)
        await out.bytes(poster, file.createdAt, await fileBytes(platen, file, "poster.webp"));
    });
    await context.step();
  }
}

function inOneFolder({ filename }: StoredBlob) {
  return { path: `media/${filename}`, poster: `media/posters/${filename}.webp` };
}

export function listFiles(platen: Platen, blog: Blog): StoredBlob[] {
  return findRows(platen, blobs, { blogId: blog.id }, { orderBy: blobs.id });
}
