import { eq } from "drizzle-orm";
import { blogs, posts, revisions, unsavedPosts } from "../../database/schema";
import { withAddressesInstead } from "../../media/former-addresses";
import type { Platen } from "../../platen";
import { contentFields, contentOf, keepContent } from "../parts/post-content";
import { fieldsSaid } from "../parts/revisions";
import { fieldsWithFileReplaced, type Replaced, withFileReplaced } from "./replaced-file";

/** Rows that may show a file or name its address, of one kind. */
interface Texts {
  one: string;
  many: string;
  /** The highest id. */
  last(platen: Platen): number;
  /**
   * Of the rows behind `after`, those in which one of the words stands: of as many as are read in a few milliseconds.
   * @returns `end`: where to go on; undefined: there are no more
   */
  next(platen: Platen, after: number, words: string[]): { ids: number[]; end?: number };
  /** To be called in a transaction. @returns whether it says anything else now */
  renew(platen: Platen, id: number, replaced: Replaced): boolean;
}

/** Read in one go. */
const ROWS = 20;
const CHARACTERS = 1_000_000;

/** @param rows in SQL @param text all that is to be looked through of one */
function texts([one, many]: [string, string], [rows, text]: [string, string], renew: Texts["renew"]): Texts {
  return {
    ...{ one, many, renew },
    last: ({ db }) =>
      db.$client.query<{ id: number | null }, []>(`SELECT max(id) AS id FROM ${rows.split(" ")[0]}`).get()
        ?.id ?? 0,
    next({ db }, after, words) {
      const hasOne = words.map(() => `instr(text, ?) > 0`).join(" OR ");
      const query = db.$client.query<{ id: number; length: number; hasOne: number }, (string | number)[]>(
        `SELECT id, length(text) AS length, ${hasOne} AS hasOne FROM (SELECT id, ${text} AS text FROM ${rows}) WHERE id > ? ORDER BY id`,
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

export const TEXTS: Texts[] = [
  texts(
    ["header, footer or CSS of a blog", "headers, footers and CSS of blogs"],
    ["blogs", "header_html || footer_html || custom_css || coalesce(css_source, '')"],
    renewBlog,
  ),
  texts(
    ["post", "posts"],
    [
      "posts JOIN whole_contents ON post_id = id",
      "html || coalesce(source, '') || properties || alt_text || coalesce(json_quote(preview_image), '')",
    ],
    renewPost,
  ),
  texts(
    ["older version of a post", "older versions of posts"],
    ["whole_revisions", "fields || coalesce(source, '')"],
    renewRevision,
  ),
  texts(
    ["text that is being written", "texts that are being written"],
    ["unsaved_posts", "coalesce(fields, '')"],
    renewUnsaved,
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
  const fields = row && fieldsSaid(platen, row);
  const anew = fields && fieldsWithFileReplaced(fields, replaced);
  if (!anew || Bun.deepEquals(anew, fields)) return false;
  platen.db.update(revisions).set({ fields: anew, longId: null }).where(eq(revisions.id, id)).run();
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
