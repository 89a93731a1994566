import { and, desc, eq, exists, isNull, lt, notExists, notInArray, type SQL, sql } from "drizzle-orm";
import { among } from "../../database/prepared";
import { attachments, blobs, blogs, posts } from "../../database/schema";
import type { StoredBlob } from "../../media/files/blobs";
import type { Platen } from "../../platen";
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
