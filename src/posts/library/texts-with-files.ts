import type { Platen } from "../../platen";
import { type Renew, renewBlog, renewPost, renewRevision, renewUnsaved } from "./renewed-texts";

/** Rows that may show a file or name its address, of one kind. */
interface Texts {
  one: string;
  many: string;
  /** The highest id. */
  last(platen: Platen): number;
  /**
   * Of the rows behind `after`, those in which one of the words stands, or may: of as many as are read in a few milliseconds.
   * @returns `end`: where to go on; undefined: there are no more
   */
  next(platen: Platen, after: number, words: string[]): { ids: number[]; end?: number };
  /** Saves by a transaction of the caller's; what says nothing else then is not saved. */
  renew: Renew;
}

/** Read in one go. */
const ROWS = 20;
const CHARACTERS = 1_000_000;

/** @param rows in SQL @param text all that is to be looked through of one */
function texts([one, many]: [string, string], [rows, text]: [string, string], renew: Renew): Texts {
  return {
    ...{ one, many, renew },
    last: ({ db }) =>
      db.$client.query<{ id: number | null }, []>(`SELECT max(id) AS id FROM ${rows.split(" ")[0]}`).get()
        ?.id ?? 0,
    next({ db }, after, words) {
      const hasOne = words.map(() => `instr(text, ?) > 0`).join(" OR ");
      const query = db.$client.query<Looked, (string | number)[]>(
        `SELECT id, length(text) AS length, ${hasOne} AS hasOne
         FROM (SELECT id, ${text} AS text FROM ${rows}) WHERE id > ? ORDER BY id`,
      );
      const ids: number[] = [];
      let [read, length] = [0, 0];
      for (const row of query.iterate(...words, after)) {
        if (row.hasOne) ids.push(row.id);
        length += row.length;
        if (++read === ROWS || length > CHARACTERS) return { ids, end: row.id };
      }
      return { ids };
    },
  };
}

interface Looked {
  id: number;
  length: number;
  hasOne: number;
}

export const TEXTS: Texts[] = [
  texts(
    ["header, footer or CSS of a blog", "headers, footers and CSS of blogs"],
    ["blogs", "header_html || footer_html || custom_css || coalesce(css_source, '')"],
    renewBlog,
  ),
  texts(
    ["post", "posts"],
    [
      "posts JOIN contents ON post_id = id",
      "html || coalesce(source, '') || properties || alt_text || coalesce(json_quote(preview_image), '')",
    ],
    renewPost,
  ),
  texts(["older version of a post", "older versions of posts"], ["revisions", "fields"], renewRevision),
  texts(
    ["text that is being written", "texts that are being written"],
    ["unsaved_posts", "coalesce(fields, '')"],
    renewUnsaved,
  ),
];
