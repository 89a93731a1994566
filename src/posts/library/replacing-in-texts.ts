/** Replaces a file's URLs and name in every text that mentions it. */
import { eq } from "drizzle-orm";
import { SECOND } from "../../config/units";
import { blogs, posts } from "../../database/schema";
import { Refusal } from "../../errors";
import { replaceMediaUrls } from "../../media/files/media-urls";
import type { Platen } from "../../platen";
import { workerQueues } from "../../worker-queue";
import type { Content } from "../post/post";
import { RENDER_TIMEOUT_MS } from "../post/post-limits";
import { contentFields, contentOf, storeContent } from "../storage/stored-content";
import {
  fieldsWithFileReplaced,
  htmlWithFileReplaced,
  jsonWithFileReplaced,
  type Replaced,
  textWithFileReplaced,
} from "./replaced-addresses";

/** @param needles the text needs a change only if it contains one of these @returns whether the row changed */
export type Renew = (
  platen: Platen,
  id: number,
  words: string[],
  replaced: Replaced,
  save: (work: () => boolean) => boolean,
) => Promise<unknown>;

const LONGEST_HERE = 300_000;
const MOST_ROUNDS = 20;

export const renewPost: Renew = (platen, id, words, replaced, save) =>
  untilDone(async () => {
    const row = postRow(platen, id);
    if (!row) return true;
    const { blogId: _, ...kept } = row;
    const fields = fieldsWithFileReplaced(kept, replaced);
    const previous = contentOf(platen, id);
    const content = await contentAnew(previous, words, fields.altText, replaced);
    const isOther = content !== previous;
    if (!isOther && Bun.deepEquals(fields, kept)) return true;
    return save(() => {
      if (!Bun.deepEquals(postRow(platen, id), row)) return false;
      if (isOther) storeContent(platen, id, content);
      platen.db
        .update(posts)
        .set({ ...fields, ...(isOther && contentFields(content, row)) })
        .where(eq(posts.id, id))
        .run();
      return true;
    });
  });

function postRow({ db }: Platen, id: number) {
  const { blogId, properties, altText, previewImage, contentVersion } = posts;
  const columns = { blogId, properties, altText, previewImage, contentVersion };
  return db.select(columns).from(posts).where(eq(posts.id, id)).get();
}

async function contentAnew(
  said: Content,
  words: string[],
  altText: Record<string, string>,
  replaced: Replaced,
): Promise<Content> {
  const anew = (text: string) => (isIn(text, words) ? changed("textWithFileReplaced", text, replaced) : text);
  const html = isIn(said.html, words)
    ? await changed("htmlWithFileReplaced", said.html, altText, replaced)
    : said.html;
  const source = said.source === said.html ? html : await anew(said.source);
  const text = await anew(said.text);
  const isSame = html === said.html && source === said.source && text === said.text;
  return isSame ? said : { ...said, html, source, text };
}

export const renewRevision: Renew = ({ db: { $client } }, id, words, replaced, save) =>
  untilDone(async () => {
    const row = $client
      .query<{ fields: string }, [number]>("SELECT fields FROM revisions WHERE id = ?")
      .get(id);
    if (!row) return true;
    const fields = await jsonAnew(row.fields, words, replaced);
    if (fields === row.fields) return true;
    return save(
      () =>
        $client
          .query("UPDATE revisions SET fields = ? WHERE id = ? AND fields = ?")
          .run(fields, id, row.fields).changes > 0,
    );
  });

export const renewUnsaved: Renew = ({ db: { $client } }, id, words, replaced, save) =>
  untilDone(async () => {
    const { fields } =
      $client
        .query<{ fields: string | null }, [number]>("SELECT fields FROM unsaved_posts WHERE id = ?")
        .get(id) ?? {};
    const anew = fields && (await jsonAnew(fields, words, replaced));
    if (!anew || anew === fields) return true;
    return save(
      () =>
        $client.query("UPDATE unsaved_posts SET fields = ? WHERE id = ? AND fields = ?").run(anew, id, fields)
          .changes > 0,
    );
  });

async function jsonAnew(json: string, words: string[], replaced: Replaced): Promise<string> {
  return isIn(json, words) ? await changed("jsonWithFileReplaced", json, replaced) : json;
}

export const renewBlog: Renew = async ({ db }, id, _, { former, blob }, save) => {
  const { headerHtml, footerHtml, customCss, cssSource } = blogs;
  const texts = { headerHtml, footerHtml, customCss, cssSource };
  return save(() => {
    const said: Record<string, string | null> =
      db.select(texts).from(blogs).where(eq(blogs.id, id)).get() ?? {};
    const anew = ([name, text]: [string, string | null]) => [
      name,
      text && replaceMediaUrls(text, former, blob),
    ];
    const says = Object.fromEntries(Object.entries(said).map(anew));
    if (Bun.deepEquals(says, said)) return false;
    db.update(blogs).set(says).where(eq(blogs.id, id)).run();
    return true;
  });
};

const isIn = (text: string, words: string[]) => words.some((word) => text.includes(word));

const CHANGES = { textWithFileReplaced, htmlWithFileReplaced, jsonWithFileReplaced };

async function changed<Name extends keyof typeof CHANGES>(
  name: Name,
  ...given: Parameters<(typeof CHANGES)[Name]>
): Promise<string> {
  const change = CHANGES[name] as (...given: unknown[]) => string;
  const [{ length: characters }] = given;
  if (characters <= LONGEST_HERE) return change(...given);
  const cost = { within: RENDER_TIMEOUT_MS, characters, source: "files" };
  return await workerQueues.texts.run<typeof change>(name, cost, ...given);
}

async function untilDone(round: () => Promise<boolean>): Promise<void> {
  for (let rounds = 1; ; rounds++)
    try {
      if (await round()) return;
      if (rounds === MOST_ROUNDS) throw new Error("It was changed again and again meanwhile.");
    } catch (fault) {
      const isBusy = fault instanceof Refusal && fault.kind === "busy";
      if (!isBusy || rounds >= MOST_ROUNDS) throw fault;
      await Bun.sleep(SECOND);
    }
}

/** Rows of one kind that may mention a file. */
interface Texts {
  one: string;
  many: string;
  last(platen: Platen): number;
  /** Ids of the next rows that contain one of the needles. @returns `end`: where to continue; undefined at the end */
  next(platen: Platen, after: number, words: string[]): { ids: number[]; end?: number };
  renew: Renew;
}

const ROWS = 20;
const CHARACTERS = 1_000_000;

/** @param rows table expression @param text expression of all text in a row */
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
