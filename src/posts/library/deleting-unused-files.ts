/**
 * Files are deleted where nothing uses them. Whether a text mentions one is known only once every text is read. A thread
 * does that; what is written meanwhile is read in the transaction that deletes.
 */

import type { Blog } from "../../blogs/blogs";
import { DAY } from "../../config/units";
import { otherProcessVersion } from "../../database/data-version";
import { busy } from "../../errors";
import { sgidOf } from "../../media/attachment-element";
import { deleteBlobs } from "../../media/deleting-media";
import { blobWithId, foldersOf, type StoredBlob } from "../../media/files/blobs";
import type { Database, Platen } from "../../platen";
import { workerQueues } from "../../worker-queue";
import { type FileNames, type Mentions, type scanForMentions, scanTexts } from "./file-mentions";
import { postsUsing } from "./file-uses";
import { libraryPage } from "./library-list";

/** To read every text, in milliseconds of the processor. */
const READ_WITHIN = 60_000;
/** In characters, for the queue: the thread ends once it is read, and gives its memory back. */
const WEIGHT = 1_000_000;
/** Times that everything is read, where other processes write. */
const MOST_READINGS = 3;
/** In seconds. */
const RETRY_AFTER = 10;

/** Of texts as they are, or were a moment ago. @throws Refusal (busy) */
export async function findMentions(platen: Platen, files: StoredBlob[]): Promise<Mentions> {
  if (files.length === 0) return new Map();
  const cost = { within: READ_WITHIN, characters: WEIGHT, source: "files" };
  const { filename } = platen.db.$client;
  return await workerQueues.texts.run<typeof scanForMentions>(
    "scanForMentions",
    cost,
    filename,
    fileNames(platen, files),
  );
}

function fileNames(platen: Platen, files: StoredBlob[]): FileNames {
  return {
    byFolder: foldersOf(platen, files),
    bySgid: new Map(files.map((file) => [sgidOf(platen, file), file.id])),
  };
}

/** Deletes those of the files that no post shows and no text mentions. @returns them @throws Refusal (busy) */
export async function deleteUnused(platen: Platen, files: StoredBlob[]): Promise<StoredBlob[]> {
  const inNoPost = () => {
    const shown = postsUsing(platen, files);
    return files.filter(({ id }) => !shown.has(id));
  };
  return await deleteUnmentioned(platen, inNoPost(), (mentions) =>
    inNoPost().filter(({ id }) => !mentions.has(id)),
  );
}

/**
 * @param files whose mentions are to be known
 * @param chosen which are deleted: asked inside the transaction that deletes, maybe more than once
 * @returns those that are gone
 * @throws Refusal (busy)
 */
export async function deleteUnmentioned(
  platen: Platen,
  files: StoredBlob[],
  chosen: (mentions: Mentions) => StoredBlob[],
): Promise<StoredBlob[]> {
  if (files.length === 0) return [];
  const { db } = platen;
  const names = fileNames(platen, files);
  for (let reading = 0; reading < MOST_READINGS; reading++) {
    const byOthers = otherProcessVersion(platen);
    using _noted = noteTextsWritten(db);
    const before = await findMentions(platen, files);
    let isOutdated = false;
    const gone = deleteBlobs(platen, () => {
      isOutdated = otherProcessVersion(platen) !== byOthers;
      if (isOutdated) return [];
      return chosen(new Map([...before, ...scanTexts(db.$client, names, "temp.written_texts")]));
    });
    if (!isOutdated) return gone;
  }
  throw busy(
    "Another program is writing here, so no file is deleted now. Try again in a while.",
    RETRY_AFTER,
  );
}

/** Kind of text → where it is written, and the column that says which it is. */
const WRITTEN: [kind: string, table: string, id: string][] = [
  ["post", "contents", "post_id"],
  ["post", "posts", "id"],
  ["revision", "revisions", "id"],
  ["unsaved", "unsaved_posts", "id"],
];

/** Database → how many want to know. */
const noting = new WeakMap<Database, number>();

/** From now on, which texts this process writes is noted in a table. */
function noteTextsWritten(db: Database): Disposable {
  const change = (by: number) => {
    const now = (noting.get(db) ?? 0) + by;
    noting.set(db, now);
    return now;
  };
  if (change(1) === 1) {
    db.$client.run("CREATE TEMP TABLE written_texts (kind TEXT, id INTEGER)");
    for (const [kind, table, id] of WRITTEN)
      for (const event of ["INSERT", "UPDATE"])
        db.$client.run(`CREATE TEMP TRIGGER ${table}_text_${event} AFTER ${event} ON ${table}
          BEGIN INSERT INTO written_texts VALUES ('${kind}', new.${id}); END`);
  }
  return {
    [Symbol.dispose]() {
      if (change(-1) > 0) return;
      for (const [, table] of WRITTEN)
        for (const event of ["INSERT", "UPDATE"]) db.$client.run(`DROP TRIGGER temp.${table}_text_${event}`);
      db.$client.run("DROP TABLE temp.written_texts");
    },
  };
}

/** Files that are shown, and that are deleted, at one time, at most. */
const AT_ONCE = 200;

/** Files of the blog that nothing uses. Those of the last day are left out: a text that is not saved yet may show them. */
export async function unusedFiles(platen: Platen, blog: Pick<Blog, "id">, before: number | null) {
  const wish = { part: "unused", named: "", before: before ?? undefined, limit: AT_ONCE } as const;
  const { files, next } = libraryPage(platen, blog.id, wish);
  const old = inNoPost(platen, files);
  const mentions = await findMentions(platen, old);
  return { files: old.filter(({ id }) => !mentions.has(id)), next };
}

/** @returns those that are gone; what is used by now stays */
export async function deleteUnusedFiles(
  platen: Platen,
  blog: Pick<Blog, "id">,
  ids: number[],
): Promise<StoredBlob[]> {
  const wished = () => {
    const files = ids.slice(0, AT_ONCE).map((id) => blobWithId(platen, id));
    const ofBlog = files.filter((file) => file !== undefined).filter(({ blogId }) => blogId === blog.id);
    return inNoPost(platen, ofBlog);
  };
  return await deleteUnmentioned(platen, wished(), (mentions) =>
    wished().filter(({ id }) => !mentions.has(id)),
  );
}

function inNoPost(platen: Platen, files: StoredBlob[]): StoredBlob[] {
  const begunBefore = platen.now().getTime() - DAY;
  const old = files.filter(({ createdAt }) => createdAt.getTime() < begunBefore);
  const uses = postsUsing(platen, old);
  return old.filter(({ id }) => !uses.has(id));
}
