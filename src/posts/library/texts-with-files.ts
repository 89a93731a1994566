import { eq } from "drizzle-orm";
import { blogs, posts, revisions, unsavedPosts } from "../../database/schema";
import { withAddressesInstead } from "../../media/former-addresses";
import type { Platen } from "../../platen";
import { contentFields, contentOf, keepContent } from "../parts/post-content";
import { type RenewLong, renewLongPost, renewLongRevision, renewLongUnsaved } from "./long-texts";
import { fieldsWithFileReplaced, type Replaced, withFileReplaced } from "./replaced-file";

/** Rows that may show a file or name its address, of one kind. */
interface Texts {
  one: string;
  many: string;
  /** The highest id. */
  last(platen: Platen): number;
  /**
   * Of the rows behind `after`, those in which one of the words stands: of as many as are read in a few milliseconds.
   * @returns `long`: those that are to be read in turns, where one may stand in them; `end`: where to go on; undefined: there are no more
   */
  next(platen: Platen, after: number, words: string[]): { ids: number[]; long: number[]; end?: number };
  /** To be called in a transaction. @returns whether it says anything else now */
  renew(platen: Platen, id: number, replaced: Replaced): boolean;
  renewLong: RenewLong;
}

/** Read in one go. */
const ROWS = 20;
const CHARACTERS = 1_000_000;
/** In characters: what is longer is changed beside the server. */
const LONGEST_AT_ONCE = 300_000;

/** @param rows in SQL @param text all that is to be looked through of one @param isLong whether more of it stands elsewhere */
function texts(
  [one, many]: [string, string],
  [rows, text, isLong]: [string, string, string],
  [renew, renewLong]: [Texts["renew"], RenewLong],
): Texts {
  return {
    ...{ one, many, renew, renewLong },
    last: ({ db }) =>
      db.$client.query<{ id: number | null }, []>(`SELECT max(id) AS id FROM ${rows.split(" ")[0]}`).get()
        ?.id ?? 0,
    next({ db }, after, words) {
      const hasOne = words.map(() => `instr(text, ?) > 0`).join(" OR ");
      const query = db.$client.query<Looked, (string | number)[]>(
        `SELECT id, length(text) AS length, ${hasOne} AS hasOne, isLong
         FROM (SELECT id, ${text} AS text, ${isLong} AS isLong FROM ${rows}) WHERE id > ? ORDER BY id`,
      );
      const found = { ids: [] as number[], long: [] as number[] };
      let [read, length] = [0, 0];
      for (const row of query.iterate(...words, after)) {
        if (row.isLong || (row.hasOne && row.length > LONGEST_AT_ONCE)) found.long.push(row.id);
        else if (row.hasOne) found.ids.push(row.id);
        length += row.length;
        if (++read === ROWS || length > CHARACTERS) return { ...found, end: row.id };
      }
      return found;
    },
  };
}

interface Looked {
  id: number;
  length: number;
  hasOne: number;
  isLong: number;
}

export const TEXTS: Texts[] = [
  texts(
    ["header, footer or CSS of a blog", "headers, footers and CSS of blogs"],
    ["blogs", "header_html || footer_html || custom_css || coalesce(css_source, '')", "0"],
    // They are never so long that it matters.
    [renewBlog, async (platen, id, _, replaced, save) => save(() => renewBlog(platen, id, replaced))],
  ),
  texts(
    ["post", "posts"],
    [
      "posts JOIN contents ON post_id = id",
      "html || coalesce(source, '') || properties || alt_text || coalesce(json_quote(preview_image), '')",
      "long_id IS NOT NULL",
    ],
    [renewPost, renewLongPost],
  ),
  texts(
    ["older version of a post", "older versions of posts"],
    ["revisions", "fields", "long_id IS NOT NULL"],
    [renewRevision, renewLongRevision],
  ),
  texts(
    ["text that is being written", "texts that are being written"],
    ["unsaved_posts", "coalesce(fields, '')", "0"],
    [renewUnsaved, renewLongUnsaved],
  ),
];

function renewBlog({ db }: Platen, id: number, { former, blob }: Replaced): boolean {
  const { headerHtml, footerHtml, customCss, cssSource } = blogs;
  const said = db
    .select({ headerHtml, footerHtml, customCss, cssSource })
    .from(blogs)
    .where(eq(blogs.id, id))
    .get();
  if (!said) return false;
  const anew = (text: string) => withAddressesInstead(text, former, blob);
  const says = {
    headerHtml: anew(said.headerHtml),
    footerHtml: anew(said.footerHtml),
    customCss: anew(said.customCss),
    cssSource: said.cssSource && anew(said.cssSource),
  };
  if (Bun.deepEquals(says, said)) return false;
  db.update(blogs).set(says).where(eq(blogs.id, id)).run();
  return true;
}

function renewPost(platen: Platen, id: number, replaced: Replaced): boolean {
  const { properties, altText, previewImage, contentVersion } = posts;
  const row = platen.db
    .select({ properties, altText, previewImage, contentVersion })
    .from(posts)
    .where(eq(posts.id, id))
    .get();
  if (!row) return false;
  const fields = fieldsWithFileReplaced(row, replaced);
  const said = contentOf(platen, id);
  const content = withFileReplaced(said, fields.altText, replaced);
  const isOther = !Bun.deepEquals(content, said);
  if (!isOther && Bun.deepEquals(fields, row)) return false;
  if (isOther) keepContent(platen, id, content);
  platen.db
    .update(posts)
    .set({ ...fields, ...(isOther && contentFields(content, row)) })
    .where(eq(posts.id, id))
    .run();
  return true;
}

function renewRevision(platen: Platen, id: number, replaced: Replaced): boolean {
  const row = platen.db.select().from(revisions).where(eq(revisions.id, id)).get();
  const anew = row && fieldsWithFileReplaced(row.fields, replaced);
  if (!anew || Bun.deepEquals(anew, row.fields)) return false;
  platen.db.update(revisions).set({ fields: anew }).where(eq(revisions.id, id)).run();
  return true;
}

function renewUnsaved({ db }: Platen, id: number, replaced: Replaced): boolean {
  const kept = eq(unsavedPosts.id, id);
  const fields = db.select({ are: unsavedPosts.fields }).from(unsavedPosts).where(kept).get()?.are;
  const anew = fields && fieldsWithFileReplaced(fields, replaced);
  if (!anew || Bun.deepEquals(anew, fields)) return false;
  db.update(unsavedPosts).set({ fields: anew }).where(kept).run();
  return true;
}
