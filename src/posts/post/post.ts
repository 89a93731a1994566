import type { Account } from "../../accounts/accounts";
import type { KeyRow } from "../../accounts/api-keys";
import type { Blog } from "../../blogs/blogs";
import { MEGABYTE } from "../../config/units";
import type { attachments, blobs, categories, contents, posts } from "../../database/schema";
import type { StoredBlob } from "../../media/files/blobs";

export type PostRow = typeof posts.$inferSelect;
export type PostType = PostRow["type"];
export type Status = PostRow["status"];
export type Category = typeof categories.$inferSelect;
export type Attachment = typeof attachments.$inferSelect & { blob: typeof blobs.$inferSelect };

export type Content = Omit<typeof contents.$inferSelect, "postId" | "source"> & { source: string };

export type SavedBy = { name: string; app: string | null };

export interface Post extends PostRow {
  blog: Blog;
  category: Category | null;
  tags: string[];
  attachments: Attachment[];
}

export type WholePost = Post & Content & { translationOf: Relative | null };

export type LinkedPost = Pick<
  PostRow,
  "id" | "slug" | "title" | "summary" | "excerpt" | "properties" | "language"
>;

export interface Relative extends Pick<PostRow, "id" | "blogId" | "slug"> {
  url: string;
}

export function languageOf({ language }: Pick<PostRow, "language">, blog: Pick<Blog, "language">): string {
  return language ?? blog.language;
}

/** The SQL version is `liveAt`. Change both together. */
export function isLive(post: Pick<PostRow, "status" | "publishedAt" | "deletedAt">, at: Date): boolean {
  const { status, publishedAt, deletedAt } = post;
  return status === "published" && deletedAt === null && publishedAt !== null && publishedAt <= at;
}

export function contentBytes(...posts: Pick<PostRow, "htmlBytes" | "sourceBytes">[]): number {
  return posts.reduce((sum, { htmlBytes, sourceBytes }) => sum + htmlBytes + sourceBytes, 0);
}

export type Author = { account: Pick<Account, "id" | "name" | "email"> } & {
  key?: Pick<KeyRow, "id" | "name">;
};

export function authorName({ key, account }: Author): SavedBy {
  return { name: account.name || account.email, app: key?.name ?? null };
}

export function renderingQueue({ key, account }: Author): string {
  return key ? `key ${key.id}` : `account ${account.id}`;
}

export const NO_PREVIEW_IMAGE = "none";

export function previewImage(post: Pick<Post, "previewImage" | "attachments">): StoredBlob | undefined {
  if (post.previewImage === NO_PREVIEW_IMAGE) return undefined;
  const pictures = post.attachments.map(({ blob }) => blob).filter(({ mediaType }) => mediaType === "image");
  return pictures.find(({ filename }) => filename === post.previewImage) ?? pictures[0];
}

/** An empty alt text marks a decorative picture, so the caption does not replace it. */
export function altTextOf(blob: { filename: string; caption: string }, altText: Record<string, string>) {
  return Object.hasOwn(altText, blob.filename) ? (altText[blob.filename] as string) : blob.caption;
}

export function contentWarning({ properties }: Pick<PostRow, "properties">): string {
  const [warning] = properties["content-warning"] ?? [];
  return typeof warning === "string" ? warning : "";
}

export const MAX_TITLE_LENGTH = 500;
export const MAX_SUMMARY_LENGTH = 500;
export const MAX_TOPIC_NAME_LENGTH = 100;
export const MAX_TAGS = 100;

/** For rendering, and again for highlighting. */
export const RENDER_TIMEOUT_MS = 3000;
export const MAX_HTML_BYTES = 3 * MEGABYTE;
export const HTML_TOO_LARGE = `must render to at most ${MAX_HTML_BYTES / MEGABYTE} MB of HTML`;
export const MAX_ATTACHMENTS = 1000;

/** Posts may contain frames from these hosts, and the content security policy of public pages allows them. */
export const VIDEO_HOSTS = ["www.youtube-nocookie.com", "www.youtube.com", "player.vimeo.com"];
