import { eq, getTableColumns, sql } from "drizzle-orm";
import { among, prepared } from "../../database/prepared";
import { contents } from "../../database/schema";
import type { Platen } from "../../platen";
import { beginningOf } from "../content/excerpt";
import type { Content, PostRow } from "../post/post";

const { postId, ...CONTENT_COLUMNS } = getTableColumns(contents);
const COLUMNS = {
  ...CONTENT_COLUMNS,
  source: sql<string>`coalesce(${contents.source}, ${contents.html})`,
};

const contentWithId = prepared((db) =>
  db
    .select(COLUMNS)
    .from(contents)
    .where(eq(contents.postId, sql.placeholder("postId")))
    .prepare(),
);

/** The content of a post: up to 4 MB, to be read only where it is shown or changed. */
export function contentOf(platen: Platen, postId: number): Content {
  return contentWithId(platen).get({ postId }) as Content;
}

const contentsWithIds = prepared((db) =>
  db
    .select({ postId: contents.postId, ...COLUMNS })
    .from(contents)
    .where(among(contents.postId, "postIds"))
    .prepare(),
);

/** post id → content. */
export function contentsOf(platen: Platen, postIds: number[]): Map<number, Content> {
  const rows = contentsWithIds(platen).all({ postIds: JSON.stringify(postIds) });
  return new Map(rows.map(({ postId, ...content }) => [postId, content]));
}

/** To be called in the transaction that writes the post's row with its `contentFields`. */
export function keepContent(platen: Platen, postId: number, content: Content): void {
  const { sourceType, html, text, source } = content;
  replaceContent(platen).run(postId, sourceType, html, text, source === html ? null : source);
}

const replaceContent = prepared((db) =>
  db.$client.query(
    "INSERT OR REPLACE INTO contents (post_id, source_type, html, text, source) VALUES (?, ?, ?, ?, ?)",
  ),
);

/** Columns of the post's row that follow from new content. */
export function contentFields(content: Content, before: Pick<PostRow, "contentVersion"> | null) {
  return {
    excerpt: beginningOf(content),
    htmlBytes: Buffer.byteLength(content.html),
    sourceBytes: Buffer.byteLength(content.source),
    contentVersion: before ? before.contentVersion + 1 : 0,
  };
}

/** What excerpts are cut from. */
export function excerptOf(platen: Platen, { id, excerpt }: Pick<PostRow, "id" | "excerpt">): string {
  return excerpt ?? beginningOf(contentOf(platen, id));
}
