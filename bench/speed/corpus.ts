/**
 * Creates a data folder with a reproducible blog: `bun bench/speed/corpus.ts --posts 100000 --to FOLDER`.
 * Posts are saved by functions of Platen, but rendered in this thread, and their commits are not synced.
 */
import { existsSync, linkSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Blog } from "../../src/blogs/blogs";
import { setUpInstance } from "../../src/blogs/setup-and-invitations";
import { readSettings } from "../../src/config/config";
import { closeDatabase, openDatabase } from "../../src/database/open";
import { blobs } from "../../src/database/schema";
import { inTransaction } from "../../src/database/transactions";
import { attachmentSnippet } from "../../src/media/attachment-element";
import type { StoredBlob } from "../../src/media/files/blobs";
import { mediaFolder } from "../../src/media/files/media-folder";
import { ensureRenditions } from "../../src/media/renditions";
import { receiveUpload, storeUpload } from "../../src/media/uploads";
import type { Database, Platen } from "../../src/platen";
import { renderContent } from "../../src/posts/content/rendering";
import type { PostChanges } from "../../src/posts/writing/post-input";
import { commitSave, type PreparedSave } from "../../src/posts/writing/saving";
import { markCleanStop } from "../../src/upkeep/recovery/damaged-database";
import { dice } from "../../test/support/dice";
import { landscape } from "../../test/support/scenery";
import { type FilledContent, someContents, someWords } from "./corpus-text";

/** Change this to create the corpora again. */
export const CORPUS = "corpus 3";
/** In milliseconds since 1970: the first, the last and scheduled posts. */
const FROM = Date.UTC(2016, 0, 1);
const UNTIL = Date.UTC(2026, 0, 1);
const SCHEDULED = Date.UTC(2040, 0, 1);
const CATEGORIES = 30;
const TAGS = 60;
const MAX_TAGS = 4;
/** One post in so many has the property. */
const ONE_IN = {
  picture: 10,
  untitled: 33,
  draft: 25,
  scheduled: 100,
  page: 200,
  archived: 200,
  hidden: 100,
};
const PICTURES = 6;
const PICTURE = { width: 1280, height: 960 };
const IN_ONE_TRANSACTION = 1000;
const TRANSACTIONS_PER_CHECKPOINT = 5;
const CACHE_KIB = 512 * 1024;

export async function makeCorpus(folder: string, count: number, tell: (line: string) => void): Promise<void> {
  const unfinished = `${folder}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  let now = FROM;
  const platen: Platen = {
    config: { ...readSettings({ data: unfinished }, {}), url: "http://127.0.0.1" },
    db: openDatabase(unfinished),
    now: () => new Date(now),
    log: console.error,
  };
  const { $client } = platen.db;
  $client.run("PRAGMA synchronous = OFF");
  $client.run(`PRAGMA cache_size = -${CACHE_KIB}`);
  const { blog } = await setUpInstance(platen, {
    account: { email: "ada@example.com", name: "Ada", password: null },
    blog: { title: "Slow Water" },
  });
  const pictures = await storePictures(platen, blog);
  const drafts = draftGenerator(count);
  for (let first = 0; first < count; first += IN_ONE_TRANSACTION) {
    inTransaction(platen, () => {
      for (let number = first; number < Math.min(count, first + IN_ONE_TRANSACTION); number++) {
        now = Math.round(FROM + ((UNTIL - FROM) * number) / count);
        const picture = number % ONE_IN.picture === 0 ? linkPicture(platen, pictures, number) : null;
        const { draft, content } = drafts(number, new Date(now));
        const shown = picture ? attachmentSnippet(platen, picture) : "";
        commitSave(
          platen,
          prepareDraft(blog, { ...draft, content: shown + content.source }, content, picture),
        );
      }
    });
    if ((first / IN_ONE_TRANSACTION) % TRANSACTIONS_PER_CHECKPOINT === 0)
      $client.run("PRAGMA wal_checkpoint(TRUNCATE)");
    tell(`${Math.min(count, first + IN_ONE_TRANSACTION)} of ${count} posts`);
  }
  closeCorpus(platen.db);
  renameSync(unfinished, folder);
  markCleanStop(folder);
}

export function closeCorpus(db: Database): void {
  db.$client.run("PRAGMA wal_checkpoint(TRUNCATE)");
  closeDatabase(db);
}

/** Call the result in order of numbers, because the random numbers are seeded. */
function draftGenerator(count: number) {
  const { below } = dice(1);
  const isOne = (kind: keyof typeof ONE_IN) => below(ONE_IN[kind]) === 0;
  const contents = someContents();
  const words = someWords();
  const topics = (name: string, most: number) => `${name} ${words.uniformWord(most)}`;
  return (number: number, at: Date): { draft: PostChanges; content: FilledContent } => {
    const status = isOne("draft") ? "draft" : isOne("archived") ? "archived" : "published";
    // The last post is always plain, because it is measured.
    const isPlain = number === count - 1;
    const draft: PostChanges = {
      title: isOne("untitled") && !isPlain ? "" : words.title(2 + below(6), below),
      status: isPlain ? "published" : status,
      publishedAt: isOne("scheduled") && !isPlain ? new Date(SCHEDULED + number) : at,
      type: isOne("page") && !isPlain ? "page" : "post",
      hidden: isOne("hidden") && !isPlain,
      category: topics("On", below(CATEGORIES)),
      tags: [...new Set(Array.from({ length: below(MAX_TAGS) }, () => topics("about", below(TAGS))))],
    };
    return { draft, content: contents(below) };
  };
}

function prepareDraft(
  blog: Blog,
  changes: PostChanges,
  { html, text }: FilledContent,
  picture: StoredBlob | null,
): PreparedSave {
  const source = changes.content ?? "";
  const sgid = /sgid="([^"]+)"/.exec(source)?.[1];
  const named = new Map(sgid && picture ? [[sgid, picture]] : []);
  const parts = { source, sourceType: "html" as const, altText: {}, ownMedia: [], blobs: named };
  const rendered = picture ? renderContent(parts) : { html, text, blobs: [], warnings: [] };
  if ("unknown" in rendered) throw new Error("A picture of the corpus is not known.");
  const content = { parts, rendered, previous: null };
  return { blog, before: null, changes, properties: {}, savedBy: null, prepared: content };
}

async function storePictures(platen: Platen, blog: { id: number }): Promise<StoredBlob[]> {
  return await Promise.all(
    Array.from({ length: PICTURES }, async (_, number) => {
      const bytes = await landscape(PICTURE.width, PICTURE.height, ["#27476e", "#f3b27a", "#1d2b3a"], number);
      const received = await receiveUpload(platen, new Blob([bytes]).stream(), `picture-${number}.jpg`);
      const blob = await storeUpload(platen, blog, received);
      await ensureRenditions(platen, blob);
      return blob;
    }),
  );
}

function linkPicture(platen: Platen, pictures: StoredBlob[], number: number): StoredBlob {
  const { id, ...picture } = pictures[number % PICTURES] as StoredBlob;
  const folder = new Bun.CryptoHasher("sha256").update(`${CORPUS} ${number}`).digest("hex").slice(0, 32);
  linkFolder(mediaFolder(platen, picture.folder), mediaFolder(platen, folder));
  const named = join(mediaFolder(platen, folder), `photo-${number}.jpg`);
  renameSync(mediaFolder(platen, folder, picture.filename), named);
  return platen.db
    .insert(blobs)
    .values({ ...picture, folder, filename: `photo-${number}.jpg`, createdAt: platen.now() })
    .returning()
    .get();
}

function linkFolder(from: string, to: string): void {
  mkdirSync(to, { mode: 0o700 });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [old, new_] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) linkFolder(old, new_);
    else linkSync(old, new_);
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { posts: { type: "string", default: "1000" }, to: { type: "string" } },
  });
  if (!values.to || existsSync(values.to)) {
    console.error("Type: bun bench/speed/corpus.ts --posts 100000 --to FOLDER, which must not be there yet");
    process.exit(2);
  }
  process.umask(0o077);
  await makeCorpus(values.to, Number(values.posts), (line) => process.stdout.write(`\r${line}`));
  console.log();
  process.exit(0);
}
