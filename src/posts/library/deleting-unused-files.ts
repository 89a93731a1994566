/**
 * Finds whether texts mention a file, by reading all texts in a worker. Texts written meanwhile are read again in the
 * transaction that deletes.
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

const READ_WITHIN = 60_000;
/** High, so that the worker ends after the scan and frees its memory. */
const WEIGHT = 1_000_000;
/** Repeated if other processes write meanwhile. */
const MOST_READINGS = 3;
const RETRY_AFTER = 10;

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

/**
 * Deletes the files that no post shows and no text mentions.
 * @returns the deleted files
 * @throws Refusal (busy)
 */
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
 * @param choose runs in the transaction that deletes, maybe more than once
 * @returns the deleted files
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

const WRITTEN: [kind: string, table: string, id: string][] = [
  ["post", "contents", "post_id"],
  ["post", "posts", "id"],
  ["revision", "revisions", "id"],
  ["unsaved", "unsaved_posts", "id"],
];

/** Database → number of running scans. */
const noting = new WeakMap<Database, number>();

/** Records which texts this process writes, in a temporary table. */
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

/** Most files listed and deleted at a time. */
const AT_ONCE = 200;

/** Excludes files of the last day: unsaved posts may show them. */
export async function unusedFiles(platen: Platen, blog: Pick<Blog, "id">, before: number | null) {
  const wish = { part: "unused", named: "", before: before ?? undefined, limit: AT_ONCE } as const;
  const { files, next } = libraryPage(platen, blog.id, wish);
  const old = inNoPost(platen, files);
  const mentions = await findMentions(platen, old);
  return { files: old.filter(({ id }) => !mentions.has(id)), next };
}

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
