import { invalid, Refusal } from "../../errors";
import type { StoredBlob } from "../../media/files/blobs";
import { makeThumbnailLater } from "../../media/renditions";
import { discardUpload, type ReceivedFile, receiveUpload, storeUpload } from "../../media/uploads";
import { replaceFile } from "../../posts/media-library/replacing-files";
import { discardFiles } from "../editor/editor-files";
import { type BlogVisit, readAdminFiles } from "../layout/visit";

export async function storeFormFiles(visit: BlogVisit): Promise<{ stored: number; errors: string[] }> {
  const { platen } = visit.call;
  const received = await receiveFormFiles(visit);
  const sent = received.length;
  const errors: string[] = [];
  try {
    for (let file = received.shift(); file; file = received.shift()) {
      const { clientName } = file;
      const store = storeUpload(platen, visit.blog, file);
      await store.then(
        (blob) => makeThumbnailLater(platen, blob),
        (error) => errors.push(describeFileError(error, clientName)),
      );
    }
  } finally {
    await discardFiles(received);
  }
  return { stored: sent - errors.length, errors };
}

export async function replaceWithFormFile(visit: BlogVisit, previous: StoredBlob): Promise<StoredBlob> {
  const { platen } = visit.call;
  const [file, ...others] = await receiveFormFiles(visit);
  await discardFiles(others);
  if (!file) throw invalid({ file: ["must be chosen"] });
  try {
    const blob = await replaceFile(platen, visit, previous, file);
    makeThumbnailLater(platen, blob);
    return blob;
  } catch (error) {
    throw invalid({ files: [describeFileError(error, file.clientName)] });
  }
}

/** The caller must store or discard the files. */
async function receiveFormFiles(visit: BlogVisit): Promise<ReceivedFile[]> {
  const receive = (stream: AsyncIterable<Uint8Array>, filename: string) =>
    receiveUpload(visit.call.platen, stream, filename).catch((error) => {
      throw invalid({ files: [describeFileError(error, filename)] });
    });
  return (await readAdminFiles(visit, receive, discardUpload)).files;
}

/** @throws the error if it does not concern the file */
function describeFileError(error: unknown, filename: string): string {
  if (!(error instanceof Refusal && error.fields?.file)) throw error;
  return `${filename} ${error.fields.file.join("; ")}.`;
}
