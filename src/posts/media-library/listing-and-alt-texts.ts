import {
  and,
  desc,
  eq,
  exists,
  isNull,
  lt,
  lte,
  notExists,
  notInArray,
  or,
  type SQL,
  sql,
} from "drizzle-orm";
import { among } from "../../database/prepared";
import { attachments, blobs, blogs, posts } from "../../database/schema";
import type { StoredBlob } from "../../media/files/blobs";
import type { Platen } from "../../platen";
import { plainText } from "../content/plain-text-and-excerpts";
import type { PostRow } from "../post/post";
import { mediaFoldersIn } from "./file-mentions";

export const LIBRARY_FILTERS = ["all", "images", "videos", "unused", "without-alt"] as const;
export type LibraryFilter = (typeof LIBRARY_FILTERS)[number];

interface LibraryRequest {
  part: LibraryFilter;
  /** Text that the filename must contain; ignores the case of ASCII letters. "" matches every file. */
  named: string;
  before?: number;
  limit: number;
}

/**
 * Newest first.
 * @returns `next`: the `before` value for the next page, or null
 */
export function libraryPage(platen: Platen, blogId: number, request: LibraryRequest) {
  const { part, named, before, limit } = request;
  const isListed = and(
    eq(blobs.blogId, blogId),
    before === undefined ? undefined : lt(blobs.id, before),
    named === "" ? undefined : sql`instr(lower(${blobs.filename}), lower(${named})) > 0`,
    conditionOf(platen, part),
  );
  const newestFirst = platen.db.select().from(blobs).where(isListed).orderBy(desc(blobs.id));
  const found = newestFirst.limit(limit + 1).all();
  const files = found.slice(0, limit);
  return { files, next: (found.length > limit && files.at(-1)?.id) || null };
}

function conditionOf(platen: Platen, part: LibraryFilter): SQL | undefined {
  if (part === "images") return eq(blobs.mediaType, "image");
  if (part === "videos") return eq(blobs.mediaType, "video");
  if (part === "unused") return and(isInNoPost(platen), notInArray(blobs.folder, foldersOnEveryPage(platen)));
  return part === "without-alt" ? lacksAlt(platen) : undefined;
}

/** Posts in the trash count as posts. */
function isInNoPost({ db }: Platen): SQL {
  return notExists(db.select({ one: sql`1` }).from(attachments).where(eq(attachments.blobId, blobs.id)));
}

function lacksAlt({ db }: Platen): SQL | undefined {
  const isUndescribed = and(eq(attachments.blobId, blobs.id), isNull(posts.deletedAt), IS_NOT_DESCRIBED);
  const attached = db.select({ one: sql`1` }).from(attachments);
  const uses = attached.innerJoin(posts, eq(posts.id, attachments.postId));
  return and(eq(blobs.mediaType, "image"), eq(blobs.caption, ""), exists(uses.where(isUndescribed)));
}

/** An empty alt text counts as a description, because it marks a decorative picture. */
export const IS_NOT_DESCRIBED = sql`not exists (select 1 from json_each(${posts.altText}) where key = ${blobs.filename})`;

function foldersOnEveryPage({ db }: Platen): StoredBlob["folder"][] {
  const { headerHtml, footerHtml, customCss } = blogs;
  const texts = db.select({ headerHtml, footerHtml, customCss }).from(blogs).all();
  return mediaFoldersIn(texts.flatMap((text) => Object.values(text)).join(" "));
}

const { id, title, slug, excerpt, type, status, publishedAt, createdAt, deletedAt, altText } = posts;
const USING_POST = { id, title, slug, excerpt, type, status, publishedAt, createdAt, deletedAt, altText };
export type UsingPost = Pick<PostRow, keyof typeof USING_POST>;

export function postsUsing({ db }: Platen, files: Pick<StoredBlob, "id">[]): Map<number, UsingPost[]> {
  const columns = { blobId: attachments.blobId, post: USING_POST };
  const uses = db.select(columns).from(attachments).innerJoin(posts, eq(posts.id, attachments.postId));
  const blobIds = files.map((file) => file.id);
  const rows = uses.where(among(attachments.blobId, blobIds)).orderBy(createdAt, id).all();
  const byFile = Map.groupBy(rows, ({ blobId }) => blobId);
  return new Map([...byFile].map(([blobId, group]) => [blobId, group.map(({ post }) => post)]));
}

export function altTextIn({ altText }: Pick<PostRow, "altText">, filename: string): string | null {
  return Object.hasOwn(altText, filename) ? (altText[filename] as string) : null;
}

export function postsWithoutAlt(
  file: Pick<StoredBlob, "mediaType" | "filename" | "caption">,
  uses: UsingPost[],
): UsingPost[] {
  if (file.mediaType !== "image" || file.caption !== "") return [];
  return uses.filter((post) => post.deletedAt === null && altTextIn(post, file.filename) === null);
}

export const MAX_MISSING_COUNTED = 500;

export interface MissingAltText {
  blobId: number;
  attachmentId: number;
}

/**
 * Newest files first.
 * @returns up to MAX_MISSING_COUNTED + 1 items
 */
export function missingAltTexts(platen: Platen, blogId: number, after?: MissingAltText) {
  const lacksAlt = and(
    eq(blobs.blogId, blogId),
    after && lte(blobs.id, after.blobId),
    after && or(lt(blobs.id, after.blobId), lt(attachments.id, after.attachmentId)),
    eq(blobs.mediaType, "image"),
    eq(blobs.caption, ""),
    isNull(posts.deletedAt),
    IS_NOT_DESCRIBED,
  );
  const columns = { blobId: blobs.id, attachmentId: attachments.id, postId: posts.id };
  const files = platen.db.select(columns).from(blobs);
  const uses = files.innerJoin(attachments, eq(attachments.blobId, blobs.id));
  const found = uses.innerJoin(posts, eq(posts.id, attachments.postId)).where(lacksAlt);
  const newestFirst = found.orderBy(desc(blobs.id), desc(attachments.id));
  return newestFirst.limit(MAX_MISSING_COUNTED + 1).all();
}

const SURROUNDING_CHARACTERS = 3000;

export function nearbySentences(html: string, sgid: string, language: string) {
  const named = html.indexOf(`data-sgid="${sgid}"`);
  if (named < 0) return { before: "", after: "" };
  const start = html.lastIndexOf("<figure", named);
  const end = html.indexOf("</figure>", named);
  // Both slices may cut a tag in two. Only tags contain `<` and `>`.
  const above = html.slice(Math.max(0, start - SURROUNDING_CHARACTERS), start).replace(/^[^<>]*>/, "");
  const below = untilLastTag(html.slice(end, end + SURROUNDING_CHARACTERS));
  const sentences = new Intl.Segmenter(language, { granularity: "sentence" });
  const sentencesOf = (line = "") => [...sentences.segment(line)].map(({ segment }) => segment.trim());
  return {
    before: sentencesOf(linesOf(above).at(-1)).at(-1) ?? "",
    after: sentencesOf(linesOf(below)[0])[0] ?? "",
  };
}

function untilLastTag(html: string): string {
  const open = html.lastIndexOf("<");
  return open > html.lastIndexOf(">") ? html.slice(0, open) : html;
}

function linesOf(html: string): string[] {
  const text = plainText(html, (name) => name === "figure");
  return text.split("\n").filter((line) => line.trim() !== "");
}
