import { findRows, lastId, updateRows } from "../../database/rows";
import { blogs, posts } from "../../database/schema";
import { inUnsyncedTransaction, waitForLock } from "../../database/transactions";
import { requireFound } from "../../errors";
import { type JobKind, startJob } from "../../jobs/jobs";
import { sgidOf } from "../../media/attachment-element";
import { blobWithId, type StoredBlob } from "../../media/files/blobs";
import { type OldLocation, replaceMediaUrls } from "../../media/files/media-urls";
import { type ReceivedFile, replaceUpload } from "../../media/uploads";
import type { Platen } from "../../platen";
import { cleanText } from "../../text/clean-text";
import { replaceFigure } from "../content/attachment-figures";
import { altTextOf } from "../post/post";
import { contentFields, contentOf, storeContent } from "../storage/stored-posts";

/**
 * The file keeps its id. Its old URL redirects at once, and a job replaces the URL in all texts. Posts keep
 * their times and get no events or revisions.
 * @throws Refusal, for example conflict if someone else replaced the file
 */
export function replaceFile(platen: Platen, owner: JobOwner, old: StoredBlob, received: ReceivedFile) {
  const { id: blobId, folder, filename } = old;
  return replaceUpload(platen, old, received, () => {
    startJob(platen, replacementJob, { ...owner, input: { blobId, folder, filename } });
  });
}

type JobOwner = Record<"blog" | "account", { id: number }>;

interface ReplacementInput extends OldLocation {
  blobId: number;
}

export const replacementJob: JobKind<ReplacementInput> = {
  name: "replacement",
  title: ({ filename }) => `Replacing ${filename}`,
  isResumable: true,
  async run(platen, task) {
    // A resumed job starts from the beginning, because replaced texts do not change again. A bookmark of an
    // older version is not a list of counts, so counting starts again.
    const changed = TEXT_KINDS.map((_, kind) => (task.bookmark as number[] | null)?.[kind] ?? 0);
    for (const [kind, texts] of TEXT_KINDS.entries()) {
      const total = lastId(platen, texts.table);
      for (let after = 0; after < total; ) {
        await task.reportProgress({ done: after, total, doing: `Updating ${texts.many}` });
        await waitForLock(platen);
        after = inUnsyncedTransaction(platen, () => {
          const replacement = findReplacement(platen, task.input);
          const { ids, end = total } = nextMatches(platen, texts, after, needlesOf(replacement));
          const count = ids.filter((id) => texts.replace(platen, id, replacement)).length;
          changed[kind] = (changed[kind] ?? 0) + count;
          if (count > 0) task.saveBookmark(changed);
          return end;
        });
      }
    }
    return { message: reportSentence(task.input.filename, changed) };
  },
};

type Replacement = { old: OldLocation; blob: StoredBlob; sgid: string };

function findReplacement(platen: Platen, { blobId, folder, filename }: ReplacementInput): Replacement {
  const blob = requireFound(blobWithId(platen, blobId), "file: it was deleted in the meantime");
  return { old: { folder, filename }, blob, sgid: sgidOf(platen, blob) };
}

function needlesOf({ old, blob, sgid }: Replacement): string[] {
  const isRenamed = old.filename !== blob.filename;
  return [`/media/${old.folder}/`, sgid, ...(isRenamed ? [JSON.stringify(old.filename)] : [])];
}

function reportSentence(filename: string, changed: number[]): string {
  const places = changed.flatMap((count, kind) => {
    const { one, many } = TEXT_KINDS[kind] as TextKind;
    return count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];
  });
  return `${filename} was replaced${places.length > 0 ? ` and updated in ${places.join(", ")}` : ""}.`;
}

interface TextKind {
  one: string;
  many: string;
  table: string;
  text: string;
  join?: string;
  replace(platen: Platen, id: number, replacement: Replacement): boolean;
}

const TEXT_KINDS: TextKind[] = [
  {
    one: "header, footer or CSS of a blog",
    many: "headers, footers and CSS of blogs",
    table: "blogs",
    text: "header_html || footer_html || custom_css || coalesce(css_source, '')",
    replace: replaceInBlog,
  },
  {
    one: "post",
    many: "posts",
    table: "posts",
    join: "JOIN contents ON post_id = id",
    text: "html || coalesce(source, '') || properties || alt_text || coalesce(json_quote(preview_image), '')",
    replace: replaceInPost,
  },
  {
    one: "revision",
    many: "revisions",
    table: "revisions",
    text: "fields",
    replace: replaceInFieldsOf("revisions"),
  },
  {
    one: "unsaved post",
    many: "unsaved posts",
    table: "unsaved_posts",
    text: "coalesce(fields, '')",
    replace: replaceInFieldsOf("unsaved_posts"),
  },
];

const BATCH_ROWS = 20;
const BATCH_CHARACTERS = 1_000_000;

function nextMatches({ db }: Platen, { table, join = "", text }: TextKind, after: number, needles: string[]) {
  const isMatch = needles.map(() => "instr(text, ?) > 0").join(" OR ");
  const query = db.$client.query<{ id: number; length: number; isMatch: number }, (string | number)[]>(
    `SELECT id, length(text) AS length, ${isMatch} AS isMatch
     FROM (SELECT id, ${text} AS text FROM ${table} ${join}) WHERE id > ? ORDER BY id LIMIT ${BATCH_ROWS}`,
  );
  const ids: number[] = [];
  let [rows, characters] = [0, 0];
  for (const row of query.iterate(...needles, after)) {
    if (row.isMatch) ids.push(row.id);
    characters += row.length;
    if (++rows === BATCH_ROWS || characters > BATCH_CHARACTERS) return { ids, end: row.id };
  }
  return { ids };
}

function replaceInPost(platen: Platen, id: number, replacement: Replacement): boolean {
  const { old, blob, sgid } = replacement;
  const columns = ["properties", "altText", "previewImage", "contentVersion"] as const;
  const [row] = findRows(platen, posts, { id }, { columns });
  if (!row) return false;
  const fields = replaceInFields(row, replacement);
  const previous = contentOf(platen, id);
  const replaceUrls = (text: string) => replaceMediaUrls(text, old, blob);
  const alt = cleanText(altTextOf(blob, fields.altText));
  const html = replaceUrls(replaceFigure(previous.html, blob, sgid, alt));
  const source = previous.source === previous.html ? html : replaceUrls(previous.source);
  const content = { ...previous, html, source, text: replaceUrls(previous.text) };
  const isChanged = !Bun.deepEquals(content, previous);
  if (!isChanged && Bun.deepEquals(fields, row)) return false;
  if (isChanged) storeContent(platen, id, content);
  const changed = { ...fields, ...(isChanged && contentFields(content, row)) };
  updateRows(platen, posts, { id }, changed);
  return true;
}

function replaceInFieldsOf(table: "revisions" | "unsaved_posts"): TextKind["replace"] {
  return ({ db: { $client } }, id, replacement) => {
    const stored = $client.query<{ fields: string }, [number]>(`SELECT fields FROM ${table} WHERE id = ?`);
    const fields = JSON.parse(stored.get(id)?.fields ?? "null");
    const changed = fields && replaceInFields(fields, replacement);
    if (Bun.deepEquals(changed, fields)) return false;
    $client.query(`UPDATE ${table} SET fields = ? WHERE id = ?`).run(JSON.stringify(changed), id);
    return true;
  };
}

function replaceInFields<Fields extends Record<string, unknown>>(fields: Fields, { old, blob }: Replacement) {
  const changed = JSON.parse(replaceMediaUrls(JSON.stringify(fields), old, blob));
  const rename = (name: unknown) => (name === old.filename ? blob.filename : name);
  const renameEntry = ([name, alt]: [string, unknown]) => [rename(name), alt];
  if (changed.previewImage !== undefined) changed.previewImage = rename(changed.previewImage);
  // Unsaved posts store alt texts as pairs of filename and text.
  if (Array.isArray(changed.altText)) changed.altText = changed.altText.map(renameEntry);
  else if (changed.altText)
    changed.altText = Object.fromEntries(Object.entries(changed.altText).map(renameEntry));
  return changed as Fields;
}

function replaceInBlog(platen: Platen, id: number, { old, blob }: Replacement): boolean {
  const columns = ["headerHtml", "footerHtml", "customCss", "cssSource"] as const;
  const [texts] = findRows(platen, blogs, { id }, { columns });
  if (!texts) return false;
  const replace = (text: string | null) => text && replaceMediaUrls(text, old, blob);
  const changed = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, replace(text)]));
  if (Bun.deepEquals(changed, texts)) return false;
  updateRows(platen, blogs, { id }, changed);
  return true;
}
