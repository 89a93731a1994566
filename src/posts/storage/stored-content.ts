import { and, asc, eq, getTableColumns, gt, isNull, sql } from "drizzle-orm";
import { keepDataVersion } from "../../database/change-counter";
import { deleteSetting, getSetting, saveSetting } from "../../database/instance-settings";
import { among, prepared } from "../../database/prepared";
import { contents, posts } from "../../database/schema";
import { inTransaction } from "../../database/transactions";
import type { Platen } from "../../platen";
import { postExcerpt } from "../content/excerpt";
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

/** Loads the content of a post, which can have 4 MB. Call it only if needed. */
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

export function contentsOf(platen: Platen, postIds: number[]): Map<number, Content> {
  const rows = contentsWithIds(platen).all({ postIds: JSON.stringify(postIds) });
  return new Map(rows.map(({ postId, ...content }) => [postId, content]));
}

/** Stores the content. Call it in the transaction that writes the post's `contentFields`. */
export function storeContent(platen: Platen, postId: number, content: Content): void {
  const { sourceType, html, text, source } = content;
  replaceContent(platen).run(postId, sourceType, html, text, source === html ? null : source);
}

const replaceContent = prepared((db) =>
  db.$client.query(
    "INSERT OR REPLACE INTO contents (post_id, source_type, html, text, source) VALUES (?, ?, ?, ?, ?)",
  ),
);

/** Returns the columns of the post that depend on its content. */
export function contentFields(content: Content, before: Pick<PostRow, "contentVersion"> | null) {
  return {
    excerpt: postExcerpt(content),
    htmlBytes: Buffer.byteLength(content.html),
    sourceBytes: Buffer.byteLength(content.source),
    contentVersion: before ? before.contentVersion + 1 : 0,
  };
}

export function excerptOf(platen: Platen, { id, excerpt }: Pick<PostRow, "id" | "excerpt">): string {
  return excerpt ?? postExcerpt(contentOf(platen, id));
}

/** Name of a setting from migration 0002: id of the last post with an excerpt. Deleted when all posts have one. */
const MADE_UP_TO = "excerpts made up to post";
const AT_ONCE = 100;

/** Stores missing excerpts of old posts, in batches. @returns whether posts are left */
export function storeMissingExcerpts(platen: Platen): boolean {
  const { db } = platen;
  const done = getSetting(platen, MADE_UP_TO);
  if (done === undefined) return false;
  const some = db
    .select({ id: posts.id, excerpt: posts.excerpt })
    .from(posts)
    .where(and(gt(posts.id, Number(done)), isNull(posts.excerpt)))
    .orderBy(asc(posts.id))
    .limit(AT_ONCE)
    .all();
  const last = some.at(-1);
  const write = () => {
    for (const post of some)
      db.update(posts)
        .set({ excerpt: excerptOf(platen, post) })
        .where(eq(posts.id, post.id))
        .run();
    if (last) saveSetting(platen, MADE_UP_TO, `${last.id}`);
    else deleteSetting(platen, MADE_UP_TO);
  };
  keepDataVersion(platen, () => inTransaction(platen, write));
  return last !== undefined;
}
