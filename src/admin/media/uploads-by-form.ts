import { invalid, Refusal } from "../../errors";
import { readMultipart } from "../../http/requests/multipart";
import type { StoredBlob } from "../../media/files/blobs";
import { makeThumbnailLater } from "../../media/images/renditions";
import { discardUpload, type ReceivedFile, receiveUpload, storeUpload } from "../../media/uploads";
import { replaceFile } from "../../posts/library/replacing-files";
import { demandOurs } from "../editor/form/post-form";
import type { BlogVisit } from "../layout/visit";

/** Stores the files of a form sent without scripts. @throws Refusal: forbidden, malformed, invalid (a wrong type or size ends the reading) */
export async function storeFormFiles(visit: BlogVisit): Promise<{ stored: number; faults: string[] }> {
  const { platen } = visit.call;
  const received = await receiveFormFiles(visit);
  const sent = received.length;
  const faults: string[] = [];
  try {
    for (let file = received.shift(); file; file = received.shift()) {
      try {
        makeThumbnailLater(platen, await storeUpload(platen, visit.blog, file));
      } catch (fault) {
        const named = nameFileInFault(fault, file.clientName);
        if (!(named instanceof Refusal && named.fields)) throw fault;
        faults.push(...Object.values(named.fields).flat());
      }
    }
  } finally {
    for (const file of received) await discardUpload(file);
  }
  return { stored: sent - faults.length, faults };
}

/** Replaces `former` with the form's file. @throws Refusal: as above, and invalid if it has another kind or is missing */
export async function replaceWithFormFile(visit: BlogVisit, previous: StoredBlob): Promise<StoredBlob> {
  const { platen } = visit.call;
  const [file, ...others] = await receiveFormFiles(visit);
  for (const other of others) await discardUpload(other);
  if (!file) throw invalid({ file: ["must be chosen"] });
  try {
    const blob = await replaceFile(platen, visit, previous, file);
    makeThumbnailLater(platen, blob);
    return blob;
  } catch (fault) {
    throw nameFileInFault(fault, file.clientName);
  }
}

/** The caller must store or discard the files. */
async function receiveFormFiles({ call }: BlogVisit): Promise<ReceivedFile[]> {
  const { platen, request } = call;
  const { files, fields } = await readMultipart<ReceivedFile>(
    request,
    async (_field, filename, stream, _type, fields) => {
      demandOurs(call, fields);
      return receiveUpload(platen, stream, filename).catch((fault) => {
        throw nameFileInFault(fault, filename);
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

function nameFileInFault(fault: unknown, filename: string): unknown {
  if (!(fault instanceof Refusal && fault.fields?.file)) return fault;
  return invalid({ files: [`${filename} ${fault.fields.file.join("; ")}.`] });
}
