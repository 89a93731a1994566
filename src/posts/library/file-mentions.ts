import { eq, sql } from "drizzle-orm";
import { blogs, posts, unsavedPosts, wholeContents, wholeRevisions } from "../../database/schema";
import { sgidOf } from "../../media/attachment-element";
import { foldersOf, type StoredBlob } from "../../media/files/blobs";
import type { Platen } from "../../platen";
import { SOURCE } from "../parts/post-content";
import { SAID_BEFORE } from "../parts/revisions";
import { foldersIn } from "./media-library";

/** What names a file, other than by showing it: a text with its address, an older version of a post, or one that is not saved yet. */
export interface Mention {
  kind: "post" | "revision" | "unsaved" | "header" | "footer" | "custom CSS";
  /** The post's, the blog's, or that of what is not saved. */
  id: number;
  title: string;
}

/**
 * blob id → what mentions it, for files that something does. Reads every text there is once, however many files are
 * asked for: for what owners do now and then, never for a list.
 */
export function mentionsOf(platen: Platen, files: StoredBlob[]): Map<number, Mention[]> {
  const found = new Map<number, Mention[]>();
  if (files.length === 0) return found;
  const byFolder = foldersOf(platen, files);
  const bySgid = new Map(files.map((file) => [sgidOf(platen, file), file.id]));
  for (const { text, ...mention } of textsWithFiles(platen)) {
    const named = [
      ...foldersIn(text).map((folder) => byFolder.get(folder)),
      ...(mention.kind === "revision" || mention.kind === "unsaved"
        ? (text.match(SGID) ?? []).map((sgid) => bySgid.get(sgid))
        : []),
    ];
    for (const id of new Set(named)) if (id !== undefined) found.set(id, [...(found.get(id) ?? []), mention]);
  }
  return new Map([...found].map(([id, mentions]) => [id, eachOnce(mentions)]));
}

/** In characters; ours have under 200. */
const SGID = /[\w-]{4,60}\.[\w-]{20,100}/g;

function* textsWithFiles({ db }: Platen): Generator<Mention & { text: string }> {
  const text = sql<string>`${SOURCE} || ${posts.properties}`;
  const { id, title } = posts;
  for (const row of db
    .select({ id, title, text })
    .from(posts)
    .innerJoin(wholeContents, eq(wholeContents.postId, posts.id))
    .where(sql`instr(${text}, '/media/') > 0`)
    .all())
    yield { kind: "post", ...row };
  for (const row of db
    .select({ id, title, text: SAID_BEFORE })
    .from(wholeRevisions)
    .innerJoin(posts, eq(posts.id, wholeRevisions.postId))
    .where(sql`instr(${SAID_BEFORE}, 'sgid') > 0 or instr(${SAID_BEFORE}, '/media/') > 0`)
    .all())
    yield { kind: "revision", ...row };
  const kept = sql<string>`${unsavedPosts.fields}`;
  const keptTitle = sql<string>`coalesce(json_extract(${kept}, '$.title'), '')`;
  for (const row of db
    .select({ id: unsavedPosts.id, title: keptTitle, text: kept })
    .from(unsavedPosts)
    .where(sql`instr(${kept}, 'sgid') > 0 or instr(${kept}, '/media/') > 0`)
    .all())
    yield { kind: "unsaved", ...row };
  for (const blog of db.select().from(blogs).all()) {
    const { id, title } = blog;
    yield { kind: "header", id, title, text: blog.headerHtml };
    yield { kind: "footer", id, title, text: blog.footerHtml };
    yield { kind: "custom CSS", id, title, text: blog.customCss };
  }
}

function eachOnce(mentions: Mention[]): Mention[] {
  return [...new Map(mentions.map((one) => [`${one.kind} ${one.id}`, one])).values()];
}
