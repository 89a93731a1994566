import { eq } from "drizzle-orm";
import { among, prepared } from "../../database/prepared";
import { attachments, posts } from "../../database/schema";
import type { StoredBlob } from "../../media/files/blobs";
import type { Platen } from "../../platen";
import type { PostRow } from "../post/post";

export type UsingPost = Pick<
  PostRow,
  | "id"
  | "title"
  | "slug"
  | "excerpt"
  | "type"
  | "status"
  | "publishedAt"
  | "createdAt"
  | "deletedAt"
  | "altText"
>;

/** blob id → posts that show it, oldest first */
export function postsUsing(platen: Platen, files: Pick<StoredBlob, "id">[]): Map<number, UsingPost[]> {
  const rows = using(platen).all({ blobIds: JSON.stringify(files.map(({ id }) => id)) });
  const byFile = Map.groupBy(
    rows.sort((a, b) => Number(a.post.createdAt) - Number(b.post.createdAt) || a.post.id - b.post.id),
    ({ blobId }) => blobId,
  );
  return new Map([...byFile].map(([blobId, group]) => [blobId, group.map(({ post }) => post)]));
}

const using = prepared((db) => {
  const { id, title, slug, excerpt, type, status, publishedAt, createdAt, deletedAt, altText } = posts;
  const post = { id, title, slug, excerpt, type, status, publishedAt, createdAt, deletedAt, altText };
  return db
    .select({ blobId: attachments.blobId, post })
    .from(attachments)
    .innerJoin(posts, eq(posts.id, attachments.postId))
    .where(among(attachments.blobId, "blobIds"))
    .prepare();
});

/** @returns null if the post has no alt text for the file */
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
