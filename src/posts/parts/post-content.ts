import { eq, getTableColumns, sql } from "drizzle-orm";
import { among, prepared } from "../../database/prepared";
import { contents } from "../../database/schema";
import type { Platen } from "../../platen";
import { beginningOf } from "../content/excerpt";
import type { Content, PostRow } from "../post/post";
import { longContent, longContentInTurns, longSourceInTurns } from "./long-contents";

/** What a post says at present. */
export interface Present extends Pick<Content, "sourceType"> {
  /** See `longContents`; null where it is short. */
  longId: number | null;
  /** Megabytes, perhaps, which are read in one go where they are asked for, once. */
  whole(): Content;
  /** The same, with others in between where it is long; what is saved meanwhile makes no difference. */
  inTurns(): Promise<Content>;
  /** One of them alone. */
  partInTurns(part: "html" | "text"): Promise<string>;
  sourceInTurns(): Promise<string>;
}

export function presentOf(platen: Platen, postId: number): Present {
  const { longId, sourceType, ...short } = contentWithId(platen).get({ postId }) as NonNullable<
    ReturnType<ReturnType<typeof contentWithId>["get"]>
  >;
  let known: Content | undefined;
  const keep = ({ html, text, source }: typeof short) => {
    known = { sourceType, html, text, source: source ?? html };
    return known;
  };
  return {
    sourceType,
    longId,
    whole: () => known ?? keep(longId === null ? short : longContent(platen, longId)),
    inTurns: async () => known ?? keep(longId === null ? short : await longContentInTurns(platen, longId)),
    partInTurns: async (part) =>
      (known ?? (longId === null ? short : await longContentInTurns(platen, longId, [part])))[part],
    sourceInTurns: async () =>
      longId === null ? (short.source ?? short.html) : await longSourceInTurns(platen, longId),
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

/** What a list shows of a post's content: with `longId`, nothing of it, which is read in turns. */
export type Listed = Partial<Content> & Pick<Present, "longId">;

/** post id → what it says. @param withSource with what that was made from */
export function contentsOf(platen: Platen, postIds: number[], withSource: boolean): Map<number, Listed> {
  const rows = (withSource ? shownAndSource : shown)(platen).all({ postIds: JSON.stringify(postIds) });
  return new Map(rows.map(({ postId, ...content }) => [postId, content]));
}

const SHOWN = {
  postId: contents.postId,
  html: contents.html,
  text: contents.text,
  longId: contents.longId,
};
const isAsked = among(contents.postId, "postIds");
const shown = prepared((db) => db.select(SHOWN).from(contents).where(isAsked).prepare());
const shownAndSource = prepared((db) =>
  db
    .select({
      ...SHOWN,
      source: sql<string>`coalesce(${contents.source}, ${contents.html})`,
      sourceType: contents.sourceType,
    })
    .from(contents)
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
