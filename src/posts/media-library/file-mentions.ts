/** A worker loads this module, so it imports only SQLite. */
import { Database as Sqlite } from "bun:sqlite";

/** A text or setting that contains the file's URL or, only in revisions and unsaved posts, its signed id. */
export interface Mention {
  kind: "post" | "revision" | "unsaved" | "header" | "footer" | "custom CSS";
  id: number;
  title: string;
}

export type Mentions = Map<number, Mention[]>;

export type FileNames = { byFolder: Map<string, number>; bySgid: Map<string, number> };

export function scanForMentions(file: string, names: FileNames): Mentions {
  using client = new Sqlite(file, { readonly: true, strict: true });
  return scanTexts(client, names);
}

/** Time in milliseconds, and the last id in each table. */
type ScanStart = Record<"time" | "posts" | "revisions" | "unsaved", number>;

/** @param start start of an earlier scan; skips posts, revisions and unsaved posts older than that */
export function scanTexts(client: Sqlite, { byFolder, bySgid }: FileNames, start?: ScanStart): Mentions {
  const found: Mentions = new Map();
  for (const [kind, texts] of Object.entries(textQueries(start)) as [Mention["kind"], string][]) {
    using statement = client.prepare<{ id: number; title: string; text: string }, []>(texts);
    for (const { text, ...mention } of statement.iterate()) {
      const named = [
        ...mediaFoldersIn(text).map((folder) => byFolder.get(folder)),
        ...(kind === "revision" || kind === "unsaved" ? sgidsIn(text).map((sgid) => bySgid.get(sgid)) : []),
      ];
      for (const id of new Set(named))
        if (id !== undefined) found.getOrInsertComputed(id, () => []).push({ kind, ...mention });
    }
  }
  const keyOf = ({ kind, id }: Mention) => `${kind} ${id}`;
  const eachOnce = (mentions: Mention[]) => [...new Map(mentions.map((one) => [keyOf(one), one])).values()];
  return new Map([...found].map(([id, mentions]) => [id, eachOnce(mentions)]));
}

export function sgidsIn(text: string): string[] {
  return text.match(/[\w-]{4,60}\.[\w-]{20,100}/g) ?? [];
}

export function mediaFoldersIn(text: string): string[] {
  return [...text.matchAll(/\/media\/([0-9a-f]{32})\//g)].map(([, folder = ""]) => folder);
}

const ofBlogs = (column: string) =>
  `SELECT id, title, ${column} AS text FROM blogs WHERE instr(${column}, '/media/') > 0`;

function textQueries(start: ScanStart = FROM_START): Record<Mention["kind"], string> {
  const { time, posts, revisions, unsaved } = start;
  return {
    post: `
      SELECT id, title, coalesce(source, html) || properties AS text
      FROM posts JOIN contents ON post_id = id
      WHERE id IN (SELECT id FROM posts WHERE updated_at >= ${time} OR id > ${posts})
        AND instr(coalesce(source, html) || properties, '/media/') > 0`,
    revision: `
      SELECT posts.id, title, fields AS text
      FROM revisions JOIN posts ON posts.id = post_id
      WHERE revisions.id > ${revisions} AND (instr(fields, 'sgid') > 0 OR instr(fields, '/media/') > 0)`,
    unsaved: `
      SELECT id, coalesce(json_extract(fields, '$.title'), '') AS title, fields AS text
      FROM unsaved_posts
      WHERE (kept_at >= ${time} OR id > ${unsaved}) AND (instr(fields, 'sgid') > 0 OR instr(fields, '/media/') > 0)`,
    header: ofBlogs("header_html"),
    footer: ofBlogs("footer_html"),
    "custom CSS": ofBlogs("custom_css"),
  };
}

const FROM_START: ScanStart = { time: 0, posts: 0, revisions: 0, unsaved: 0 };
