import type { Blog } from "../../blogs/blogs";
import { DAY, MINUTE } from "../../config/units";
import { lastId } from "../../database/rows";
import { sgidOf } from "../../media/attachment-element";
import { deleteBlobs } from "../../media/deleting-media";
import { blobWithId, foldersOf, type StoredBlob } from "../../media/files/blobs";
import type { Platen } from "../../platen";
import { workerQueues } from "../../worker-queue";
import { type FileNames, type Mentions, type scanForMentions, scanTexts } from "./file-mentions";
import { libraryPage, postsUsing } from "./listing-and-alt-texts";

const SCAN_TIMEOUT_MS = 60_000;
/** In characters. High enough that the worker stops after the scan, which frees its memory. */
const SCAN_COST = 1_000_000;
/** Tolerates a clock that is set back during a scan. */
const CLOCK_TOLERANCE_MS = MINUTE;

export async function findMentions(platen: Platen, files: StoredBlob[]): Promise<Mentions> {
  if (files.length === 0) return new Map();
  const cost = { within: SCAN_TIMEOUT_MS, characters: SCAN_COST, source: "files" };
  const { filename } = platen.db.$client;
  const names = fileNames(platen, files);
  return await workerQueues.texts.run<typeof scanForMentions>("scanForMentions", cost, filename, names);
}

function fileNames(platen: Platen, files: StoredBlob[]): FileNames {
  return {
    byFolder: foldersOf(platen, files),
    bySgid: new Map(files.map((file) => [sgidOf(platen, file), file.id])),
  };
}

/** @throws Refusal (busy) */
export async function deleteUnused(platen: Platen, files: StoredBlob[]): Promise<StoredBlob[]> {
  const unused = () => inNoPost(platen, files);
  const choose = (mentions: Mentions) => unused().filter(({ id }) => !mentions.has(id));
  return await deleteUnmentioned(platen, unused(), choose);
}

type ChooseFiles = (mentions: Mentions) => StoredBlob[];

/**
 * A worker scans all texts. The transaction that deletes files scans the texts written since.
 * @param choose returns the files to delete; runs in that transaction
 * @returns the deleted files
 * @throws Refusal (busy)
 */
export async function deleteUnmentioned(platen: Platen, files: StoredBlob[], choose: ChooseFiles) {
  if (files.length === 0) return [];
  const start = scanStart(platen);
  const before = await findMentions(platen, files);
  return deleteBlobs(platen, () => {
    const since = scanTexts(platen.db.$client, fileNames(platen, files), start);
    return choose(new Map([...before, ...since]));
  });
}

function scanStart(platen: Platen) {
  return {
    time: platen.now().getTime() - CLOCK_TOLERANCE_MS,
    posts: lastId(platen, "posts"),
    revisions: lastId(platen, "revisions"),
    unsaved: lastId(platen, "unsaved_posts"),
  };
}

const MAX_FILES = 200;

/** Skips uploads of the last 24 hours, because an open editor may show them. */
export async function unusedFiles(platen: Platen, blog: Pick<Blog, "id">, before: number | null) {
  const request = { part: "unused", named: "", before: before ?? undefined, limit: MAX_FILES } as const;
  const { files, next } = libraryPage(platen, blog.id, request);
  const unused = inNoPost(platen, files.filter(isOld(platen)));
  const mentions = await findMentions(platen, unused);
  return { files: unused.filter(({ id }) => !mentions.has(id)), next };
}

export async function deleteUnusedFiles(platen: Platen, blog: Pick<Blog, "id">, ids: number[]) {
  const files = ids.slice(0, MAX_FILES).flatMap((id) => blobWithId(platen, id) ?? []);
  const ofBlog = files.filter(({ blogId }) => blogId === blog.id);
  return await deleteUnused(platen, ofBlog.filter(isOld(platen)));
}

const isOld =
  ({ now }: Platen) =>
  ({ createdAt }: StoredBlob): boolean =>
    createdAt.getTime() < now().getTime() - DAY;

function inNoPost(platen: Platen, files: StoredBlob[]): StoredBlob[] {
  const uses = postsUsing(platen, files);
  return files.filter(({ id }) => !uses.has(id));
}
