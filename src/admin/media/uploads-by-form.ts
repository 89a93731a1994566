import { invalid, Refusal } from "../../errors";
import { readMultipart } from "../../http/requests/multipart";
import { makeRenditionsLater } from "../../media/images/renditions";
import { discardUpload, type ReceivedFile, receiveUpload, storeUpload } from "../../media/uploads";
import { demandOurs } from "../editor/form/sent-post";
import type { BlogVisit } from "../layout/visit";

/**
 * Files of a form that no script sent, many at once.
 * @returns how many are there now, and of each other what is wrong with it
 * @throws Refusal: forbidden (another site's form), malformed, invalid: one that is too large or of a wrong type ends the reading
 */
export async function filesByForm({ call, blog }: BlogVisit): Promise<{ stored: number; faults: string[] }> {
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
  const faults: string[] = [];
  try {
    demandOurs(call, fields);
    for (let file = received.shift(); file; file = received.shift()) {
      try {
        makeRenditionsLater(platen, await storeUpload(platen, blog, file));
      } catch (fault) {
        const named = namingFile(fault, file.clientName);
        if (!(named instanceof Refusal && named.fields)) throw fault;
        faults.push(...Object.values(named.fields).flat());
      }
    }
  } finally {
    for (const file of received) await discardUpload(file);
  }
  return { stored: files.length - faults.length, faults };
}

function namingFile(fault: unknown, filename: string): unknown {
  if (!(fault instanceof Refusal && fault.fields?.file)) return fault;
  return invalid({ files: [`${filename} ${fault.fields.file.join("; ")}.`] });
}
