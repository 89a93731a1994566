import { inUnsyncedTransaction } from "../../database/transactions";
import { notFound } from "../../errors";
import type { JobKind } from "../../jobs/job";
import { startJob } from "../../jobs/jobs";
import { sgidOf } from "../../media/attachment-element";
import { blobWithId, type StoredBlob } from "../../media/files/blobs";
import type { OldLocation } from "../../media/files/media-urls";
import { type ReceivedFile, replaceUpload } from "../../media/uploads";
import type { Platen } from "../../platen";
import type { Replaced } from "./replaced-addresses";
import { TEXTS } from "./replacing-in-texts";

/**
 * Replaces a file in place. Its old URL redirects at once; a job updates all texts. Posts keep their times, and no
 * events or revisions are recorded.
 * @throws Refusal: invalid (file), missing, conflict (replaced meanwhile, too many jobs)
 */
export function replaceFile(
  platen: Platen,
  { blog, account }: { blog: { id: number }; account: { id: number } },
  former: StoredBlob,
  received: ReceivedFile,
): Promise<StoredBlob> {
  const { id, folder, filename } = former;
  return replaceUpload(platen, former, received, () => {
    startJob(platen, replacementJob, { blog, account, given: { blobId: id, folder, filename } });
  });
}

interface Given extends OldLocation {
  blobId: number;
}

/** Position of the job: index in TEXTS, last row, changes by kind. */
interface Bookmark {
  kind: number;
  after: number;
  changed: number[];
}

export const replacementJob: JobKind<Given> = {
  name: "replacement",
  title: ({ filename }) => `Putting the new ${filename} everywhere`,
  isResumable: true,
  async run(platen, task) {
    const { changed, ...begun } = (task.bookmark as Bookmark | null) ?? {
      ...{ kind: 0, after: 0 },
      changed: TEXTS.map(() => 0),
    };
    for (const [kind, texts] of TEXTS.entries()) {
      if (kind < begun.kind) continue;
      const total = texts.last(platen);
      for (let after = kind === begun.kind ? begun.after : 0; after < total; ) {
        const { ids, end = total } = texts.next(platen, after, wordsOf(replacedFile(platen, task.given)));
        for (const id of ids) {
          await task.reportProgress({ done: after, total, doing: `Looking through ${texts.many}` });
          const replaced = replacedFile(platen, task.given);
          await texts.renew(platen, id, wordsOf(replaced), replaced, (save) =>
            inUnsyncedTransaction(platen, () => {
              const isSaved = save();
              if (!isSaved) return false;
              changed[kind] = (changed[kind] ?? 0) + 1;
              // Later ids of this batch are still to do.
              task.saveBookmark({ kind, after, changed } satisfies Bookmark);
              return true;
            }),
          );
        }
        await task.reportProgress({ done: after, total, doing: `Looking through ${texts.many}` });
        after = end;
      }
    }
    return { says: saying(task.given.filename, changed) };
  },
};

function replacedFile(platen: Platen, { blobId, folder, filename }: Given): Replaced {
  const blob = blobWithId(platen, blobId);
  if (!blob) throw notFound("file: it was deleted meanwhile");
  return { former: { folder, filename }, blob, sgid: sgidOf(platen, blob) };
}

/** A text without any of these needs no change. */
function wordsOf({ former, blob, sgid }: Replaced): string[] {
  const isRenamed = former.filename !== blob.filename;
  return [`/media/${former.folder}/`, sgid, ...(isRenamed ? [JSON.stringify(former.filename)] : [])];
}

function saying(filename: string, changed: number[]): string {
  const places = changed.flatMap((count, kind) => {
    const { one, many } = TEXTS[kind] as (typeof TEXTS)[number];
    return count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];
  });
  return `The new ${filename} is in its place${places.length > 0 ? `: written anew in ${places.join(", ")}` : ""}.`;
}
