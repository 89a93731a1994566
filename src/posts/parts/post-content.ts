import { type Column, eq, getTableColumns, sql } from "drizzle-orm";
import { among, prepared } from "../../database/prepared";
import { contents, wholeContents } from "../../database/schema";
import type { Platen } from "../../platen";
import { beginningOf } from "../content/excerpt";
import type { Content, PostRow } from "../post/post";
import { longContent } from "./long-contents";

/** SQL for the source, wherever `whole_contents` is joined. */
export const SOURCE = sql<string>`coalesce(${wholeContents.source}, ${wholeContents.html})`;

/** What a post says at present. */
export interface Present extends Pick<Content, "sourceType"> {
  /** See `longContents`; null where it is short. */
  longId: number | null;
  /** Megabytes, perhaps, which are read where they are asked for. */
  whole(): Content;
}

export function presentOf(platen: Platen, postId: number): Present {
  const { longId, sourceType, ...short } = contentWithId(platen).get({ postId }) as NonNullable<
    ReturnType<ReturnType<typeof contentWithId>["get"]>
  >;
  let whole: Content | undefined;
  return {
    sourceType,
    longId,
    whole() {
      if (whole) return whole;
      const { html, text, source } = longId === null ? short : longContent(platen, longId);
      whole = { sourceType, html, text, source: source ?? html };
      return whole;
    },
  };
}

const { postId, ...CONTENT_COLUMNS } = getTableColumns(contents);
const contentWithId = prepared((db) =>
  db
    .select(CONTENT_COLUMNS)
    .from(contents)
    .where(eq(contents.postId, sql.placeholder("postId")))
    .prepare(),
);

/** What the post says; to be read where it is shown or changed only, for it may be megabytes. */
export function contentOf(platen: Platen, postId: number): Content {
  return presentOf(platen, postId).whole();
}

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

const SHOWN = { postId: wholeContents.postId, html: wholeContents.html, text: wholeContents.text };
const isAsked = among(wholeContents.postId as unknown as Column, "postIds");
const shown = prepared((db) => db.select(SHOWN).from(wholeContents).where(isAsked).prepare());
const shownAndSource = prepared((db) =>
  db
    .select({ ...SHOWN, source: SOURCE, sourceType: wholeContents.sourceType })
    .from(wholeContents)
    .where(isAsked)
    .prepare(),
);

/**
 * To be called in the transaction that writes the post's row with its `contentFields`.
 * @param longId where a long one has been written already
 */
export function keepContent(
  platen: Platen,
  postId: number,
  content: Content,
  longId: number | null = null,
): void {
  const { sourceType, html, text, source } = content;
  const here = longId === null ? [html, text, source === html ? null : source] : ["", "", null];
  replaceContent(platen).run(postId, sourceType, ...(here as [string, string, string | null]), longId);
}

const replaceContent = prepared((db) =>
  db.$client.query(
    "INSERT OR REPLACE INTO contents (post_id, source_type, html, text, source, long_id) VALUES (?, ?, ?, ?, ?, ?)",
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
