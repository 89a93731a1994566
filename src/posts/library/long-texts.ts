/**
 * A file replaced in what is long: that is read in turns, changed beside the server and written piece by piece, before
 * the save, which only points to it. What somebody else has saved meanwhile is read again.
 */
import { eq } from "drizzle-orm";
import { posts } from "../../database/schema";
import { Refusal } from "../../errors";
import { nextTurn } from "../../next-turn";
import type { Platen } from "../../platen";
import { SECOND } from "../../units";
import { workerQueues } from "../../worker-queue";
import {
  giveUpLongContent,
  isLong,
  leaveLongContent,
  longContentInTurns,
  writeLongContent,
} from "../parts/long-contents";
import { contentFields, keepContent, presentOf } from "../parts/post-content";
import type { Content } from "../post/post";
import { RENDERED_WITHIN } from "../post/post-limits";
import {
  fieldsWithFileReplaced,
  type htmlWithFileReplaced,
  type jsonWithFileReplaced,
  type Replaced,
  type textWithFileReplaced,
} from "./replaced-file";

/**
 * @param words of which one stands in what is to be changed
 * @param save does the last step in a transaction; that says whether it found what it was made from
 */
export type RenewLong = (
  platen: Platen,
  id: number,
  words: string[],
  replaced: Replaced,
  save: (work: () => boolean) => boolean,
) => Promise<unknown>;

/** How often it may find what it reads changed meanwhile, or others busy. */
const MOST_ROUNDS = 20;

export const renewLongPost: RenewLong = (platen, id, words, replaced, save) =>
  untilDone(async () => {
    const row = postRow(platen, id);
    if (!row) return true;
    const { blogId, ...kept } = row;
    const fields = fieldsWithFileReplaced(kept, replaced);
    const present = presentOf(platen, id);
    const said = await present.inTurns();
    const content = await contentBeside(said, words, fields.altText, replaced);
    const isOther = content !== said;
    if (!isOther && Bun.deepEquals(fields, kept)) return true;
    const written =
      isOther && isLong(content) ? await writeLongContent(platen, { id: blogId }, content) : null;
    await nextTurn();
    const contentAnew = isOther && contentFields(content, row);
    return saved(platen, { written, former: isOther ? present.longId : null }, () =>
      save(() => {
        if (!Bun.deepEquals(postRow(platen, id), row)) return false;
        if (isOther) keepContent(platen, id, content, written);
        platen.db
          .update(posts)
          .set({ ...fields, ...contentAnew })
          .where(eq(posts.id, id))
          .run();
        return true;
      }),
    );
  });

function postRow({ db }: Platen, id: number) {
  const { blogId, properties, altText, previewImage, contentVersion } = posts;
  const columns = { blogId, properties, altText, previewImage, contentVersion };
  return db.select(columns).from(posts).where(eq(posts.id, id)).get();
}

/** The very same where none of the words stands in it. */
async function contentBeside(
  said: Content,
  words: string[],
  altText: Record<string, string>,
  replaced: Replaced,
): Promise<Content> {
  const anew = (text: string) =>
    isIn(text, words) ? beside<typeof textWithFileReplaced>("textWithFileReplaced", text, replaced) : text;
  const html = isIn(said.html, words)
    ? await beside<typeof htmlWithFileReplaced>("htmlWithFileReplaced", said.html, altText, replaced)
    : said.html;
  await nextTurn();
  const source = said.source === said.html ? html : await anew(said.source);
  await nextTurn();
  const text = await anew(said.text);
  await nextTurn();
  const isSame = html === said.html && source === said.source && text === said.text;
  return isSame ? said : { ...said, html, source, text };
}

export const renewLongRevision: RenewLong = (platen, id, words, replaced, save) =>
  untilDone(async () => {
    const { $client } = platen.db;
    const row = $client
      .query<{ fields: string; longId: number | null; blogId: number }, [number]>(
        `SELECT fields, long_id AS longId, blog_id AS blogId
         FROM revisions JOIN posts ON posts.id = post_id WHERE revisions.id = ?`,
      )
      .get(id);
    if (!row) return true;
    const { blogId, longId } = row;
    const fields = await jsonBeside(row.fields, words, replaced);
    const said = longId === null ? "" : await sourceInTurns(platen, longId);
    const source = isIn(said, words)
      ? await beside<typeof textWithFileReplaced>("textWithFileReplaced", said, replaced)
      : said;
    if (fields === row.fields && source === said) return true;
    const content = { sourceType: "html", html: source, source, text: "" } as const;
    const written = source === said ? null : await writeLongContent(platen, { id: blogId }, content);
    return saved(platen, { written, former: written === null ? null : longId }, () =>
      save(
        () =>
          $client
            .query(
              "UPDATE revisions SET fields = ?, long_id = ? WHERE id = ? AND fields = ? AND long_id IS ?",
            )
            .run(fields, written ?? longId, id, row.fields, longId).changes > 0,
      ),
    );
  });

async function sourceInTurns(platen: Platen, longId: number): Promise<string> {
  const { html, source } = await longContentInTurns(platen, longId, ["html", "source"]);
  return source ?? html;
}

export const renewLongUnsaved: RenewLong = ({ db: { $client } }, id, words, replaced, save) =>
  untilDone(async () => {
    const { fields } =
      $client
        .query<{ fields: string | null }, [number]>("SELECT fields FROM unsaved_posts WHERE id = ?")
        .get(id) ?? {};
    const anew = fields && (await jsonBeside(fields, words, replaced));
    if (!anew || anew === fields) return true;
    return save(
      () =>
        $client.query("UPDATE unsaved_posts SET fields = ? WHERE id = ? AND fields = ?").run(anew, id, fields)
          .changes > 0,
    );
  });

async function jsonBeside(json: string, words: string[], replaced: Replaced): Promise<string> {
  if (!isIn(json, words)) return json;
  return await beside<typeof jsonWithFileReplaced>("jsonWithFileReplaced", json, replaced);
}

/** @param former what the save no longer points to */
function saved(
  platen: Platen,
  { written, former }: { written: number | null; former: number | null },
  save: () => boolean,
): boolean {
  const isSaved = save();
  const unsaid = isSaved ? former : written;
  if (unsaid !== null) (isSaved ? leaveLongContent : giveUpLongContent)(platen, unsaid);
  return isSaved;
}

const isIn = (text: string, words: string[]) => words.some((word) => text.includes(word));

function beside<Called extends (text: string, ...given: never[]) => string>(
  name: string,
  ...given: Parameters<Called>
): Promise<string> {
  const cost = { within: RENDERED_WITHIN, characters: (given[0] as string).length, source: "files" };
  return workerQueues.texts.run(name, cost, ...given) as Promise<string>;
}

/** @param round says whether it is done */
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
