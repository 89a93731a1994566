import { and, desc, eq, lt, notInArray, type SQL, sql } from "drizzle-orm";
import { among, findRows, prepareSql } from "../../database/rows";
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

/** Newest first. @returns `next`: the `before` value for the next page, or null */
export function libraryPage(platen: Platen, blogId: number, request: LibraryRequest) {
  const { part, named, before, limit } = request;
  const isListed = and(
    eq(blobs.blogId, blogId),
    before === undefined ? undefined : lt(blobs.id, before),
    named === "" ? undefined : sql`instr(lower(${blobs.filename}), lower(${named})) > 0`,
    conditionOf(platen, part),
  );
  const found = findRows(platen, blobs, isListed, { orderBy: desc(blobs.id), limit: limit + 1 });
  const files = found.slice(0, limit);
  return { files, next: (found.length > limit && files.at(-1)?.id) || null };
}

function conditionOf(platen: Platen, part: LibraryFilter): SQL | undefined {
  if (part === "images") return eq(blobs.mediaType, "image");
  if (part === "videos") return eq(blobs.mediaType, "video");
  if (part === "unused") return and(IS_IN_NO_POST, notInArray(blobs.folder, foldersOnEveryPage(platen)));
  return part === "without-alt" ? LACKS_ALT : undefined;
}

/** Posts in the trash count as posts. */
const IS_IN_NO_POST = sql`not exists (select 1 from attachments where blob_id = ${blobs.id})`;

/** An empty alt text counts as a description, because it marks a decorative picture. */
const IS_NOT_DESCRIBED = `blobs.media_type = 'image' and blobs.caption = '' and posts.deleted_at is null
  and not exists (select 1 from json_each(posts.alt_text) where key = blobs.filename)`;
const LACKS_ALT = sql`exists (select 1 from attachments join posts on posts.id = post_id
  where blob_id = ${blobs.id} and ${sql.raw(IS_NOT_DESCRIBED)})`;

function foldersOnEveryPage(platen: Platen): StoredBlob["folder"][] {
  const texts = findRows(platen, blogs, undefined, { columns: ["headerHtml", "footerHtml", "customCss"] });
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

export function postsWithoutAlt(file: StoredBlob, uses: UsingPost[]): UsingPost[] {
  if (file.mediaType !== "image" || file.caption !== "") return [];
  return uses.filter((post) => post.deletedAt === null && altTextIn(post, file.filename) === null);
}

export const MAX_MISSING_COUNTED = 500;

export type MissingAltText = Record<"blobId" | "attachmentId", number>;

/** Newest files first. @returns up to MAX_MISSING_COUNTED + 1 items */
export function missingAltTexts(platen: Platen, blogId: number, after = BEFORE_ALL) {
  return missing(platen).all({ blogId, ...after });
}

const BEFORE_ALL: MissingAltText = { blobId: Number.MAX_SAFE_INTEGER, attachmentId: 0 };

const missing = prepareSql<MissingAltText & { postId: number }, [MissingAltText & Record<"blogId", number>]>(
  `SELECT blobs.id AS blobId, attachments.id AS attachmentId, posts.id AS postId
   FROM blobs INDEXED BY blobs_of_blog JOIN attachments ON blob_id = blobs.id JOIN posts ON posts.id = post_id
   WHERE blobs.blog_id = $blogId AND ${IS_NOT_DESCRIBED}
     AND blobs.id <= $blobId AND (blobs.id < $blobId OR attachments.id < $attachmentId)
   ORDER BY blobs.id DESC, attachments.id DESC LIMIT ${MAX_MISSING_COUNTED + 1}`,
);

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
