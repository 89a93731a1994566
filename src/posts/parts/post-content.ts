import { eq, getTableColumns, sql } from "drizzle-orm";
import { among, prepared } from "../../database/prepared";
import { contents } from "../../database/schema";
import type { Platen } from "../../platen";
import { beginningOf } from "../content/excerpt";
import type { Content, PostRow } from "../post/post";

/** SQL for the source, wherever `contents` is joined. */
export const SOURCE = sql<string>`coalesce(${contents.source}, ${contents.html})`;

/** What the post says; to be read where it is shown or changed only, for it may be megabytes. */
export function contentOf(platen: Platen, postId: number): Content {
  const { source, ...content } = contentWithId(platen).get({ postId }) as NonNullable<
    ReturnType<ReturnType<typeof contentWithId>["get"]>
  >;
  return { ...content, source: source ?? content.html };
}

const { postId, ...CONTENT_COLUMNS } = getTableColumns(contents);
const contentWithId = prepared((db) =>
  db
    .select(CONTENT_COLUMNS)
    .from(contents)
    .where(eq(contents.postId, sql.placeholder("postId")))
    .prepare(),
);

/** post id → what it says. @param withSource with what that was made from */
export function contentsOf(
  platen: Platen,
  postIds: number[],
  withSource: boolean,
): Map<number, Partial<Content>> {
  const ids = { postIds: JSON.stringify(postIds) };
  const rows = withSource ? shownAndSource(platen).all(ids) : shown(platen).all(ids);
  return new Map(rows.map(({ postId, ...content }) => [postId, content]));
}

const SHOWN = { postId: contents.postId, html: contents.html, text: contents.text };
const isAsked = among(contents.postId, "postIds");
const shown = prepared((db) => db.select(SHOWN).from(contents).where(isAsked).prepare());
const shownAndSource = prepared((db) =>
  db
    .select({ ...SHOWN, source: SOURCE, sourceType: contents.sourceType })
    .from(contents)
    .where(isAsked)
    .prepare(),
);

/** To be called in the transaction that writes the post's row with its `contentFields`. */
export function keepContent(platen: Platen, postId: number, { source, ...content }: Content): void {
  const { sourceType, html, text } = content;
  replaceContent(platen).run(postId, sourceType, html, text, source === html ? null : source);
}

const replaceContent = prepared((db) =>
  db.$client.query(
    "INSERT OR REPLACE INTO contents (post_id, source_type, html, text, source) VALUES (?, ?, ?, ?, ?)",
  ),
);

/** What the post's row keeps of new content. */
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
