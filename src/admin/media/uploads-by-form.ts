import { invalid, Refusal } from "../../errors";
import { readMultipart } from "../../http/requests/multipart";
import type { StoredBlob } from "../../media/files/blobs";
import { makeThumbnailLater } from "../../media/images/renditions";
import { discardUpload, type ReceivedFile, receiveUpload, storeUpload } from "../../media/uploads";
import { replaceFile } from "../../posts/library/replacing-files";
import { demandOurs } from "../editor/form/post-form";
import type { BlogVisit } from "../layout/visit";

/**
 * Files of a form that no script sent, many at once.
 * @returns how many are there now, and of each other what is wrong with it
 * @throws Refusal: forbidden (another site's form), malformed, invalid: one that is too large or of a wrong type ends the reading
 */
export async function filesByForm(visit: BlogVisit): Promise<{ stored: number; faults: string[] }> {
  const { platen } = visit.call;
  const received = await receivedByForm(visit);
  const sent = received.length;
  const faults: string[] = [];
  try {
    for (let file = received.shift(); file; file = received.shift()) {
      try {
        makeThumbnailLater(platen, await storeUpload(platen, visit.blog, file));
      } catch (fault) {
        const named = namingFile(fault, file.clientName);
        if (!(named instanceof Refusal && named.fields)) throw fault;
        faults.push(...Object.values(named.fields).flat());
      }
    }
  } finally {
    for (const file of received) await discardUpload(file);
  }
  return { stored: sent - faults.length, faults };
}

/**
 * Puts the one file of a form in the place of this one.
 * @throws Refusal: as above, and invalid where it is of another kind or none was chosen
 */
export async function replacementByForm(visit: BlogVisit, former: StoredBlob): Promise<StoredBlob> {
  const { platen } = visit.call;
  const [file, ...others] = await receivedByForm(visit);
  for (const other of others) await discardUpload(other);
  if (!file) throw invalid({ file: ["is missing: choose the new one first"] });
  try {
    const blob = await replaceFile(platen, visit, former, file);
    makeThumbnailLater(platen, blob);
    return blob;
  } catch (fault) {
    throw namingFile(fault, file.clientName);
  }
}

/** Whoever calls it must store or discard them. */
async function receivedByForm({ call }: BlogVisit): Promise<ReceivedFile[]> {
  const { platen, request } = call;
  const { files, fields } = await readMultipart<ReceivedFile>(
    request,
    async (_field, filename, stream, _type, fields) => {
      demandOurs(call, fields);
      return receiveUpload(platen, stream, filename).catch((fault) => {
        throw namingFile(fault, filename);
      });
    },
    discardUpload,
  );
  const received = files.map(({ value }) => value);
  try {
    demandOurs(call, fields);
  } catch (fault) {
    for (const file of received) await discardUpload(file);
    throw fault;
  }
  return received;
}

function namingFile(fault: unknown, filename: string): unknown {
  if (!(fault instanceof Refusal && fault.fields?.file)) return fault;
  return invalid({ files: [`${filename} ${fault.fields.file.join("; ")}.`] });
}
