import { conflict, invalid, Refusal } from "../../errors";
import { readMultipart } from "../../http/requests/multipart";
import type { StoredBlob } from "../../media/files/blobs";
import { makeThumbnailLater } from "../../media/images/renditions";
import { discardUpload, type ReceivedFile, receiveUpload, storeUpload } from "../../media/uploads";
import type { Platen } from "../../platen";
import { deleteUnmentioned } from "../../posts/library/deleting-unused-files";
import type { Mention, Mentions } from "../../posts/library/file-mentions";
import { altTextIn, postsUsing } from "../../posts/library/file-uses";
import { replaceFile } from "../../posts/library/replacing-files";
import { findPost } from "../../posts/reading/finding-posts";
import { type Saved, savePost } from "../../posts/writing/saving";
import { assertNoForgery } from "../editor/form/post-form";
import type { BlogVisit } from "../layout/visit";
import { postName } from "../words/post-name";

interface AltTextChange {
  postId: number;
  /** "" marks the picture as decorative; null removes the alt text. */
  alt: string | null;
  /** The alt text when the form was loaded. */
  was: string | null;
}

/** Changes one alt text in a post. @throws Refusal (missing, forbidden, conflict, invalid, busy) */
export function saveAltText(
  visit: BlogVisit,
  { filename }: Pick<StoredBlob, "filename">,
  { postId, alt, was }: AltTextChange,
): Promise<Saved> {
  const { platen } = visit.call;
  const request = () => {
    const before = findPost(platen, visit, postId, visit.blog.id);
    if (oneLine(altTextIn(before, filename)) !== oneLine(was))
      throw conflict("Someone else changed this alt text. Go back and reload to see it.");
    const { [filename]: _, ...others } = before.altText;
    const altText = alt === null ? others : { ...others, [filename]: alt };
    return { blog: before.blog, before, changes: { altText } };
  };
  return savePost(platen, visit, request, (save) => save());
}

export function oneLine<Text extends string | null>(text: Text): Text {
  return (text === null ? null : text.replace(/\s+/g, " ").trim()) as Text;
}

/** @throws Refusal (conflict) naming the posts or texts that use the file */
export async function deleteFile({ call }: BlogVisit, file: StoredBlob): Promise<void> {
  const { platen } = call;
  const assertUnused = (mentions: Mentions) => {
    const [use] = usesInWords(platen, file, mentions);
    if (use)
      throw conflict(`${file.filename} can’t be deleted: it is used by ${use}. Remove it there first.`);
  };
  assertUnused(new Map());
  await deleteUnmentioned(platen, [file], (mentions) => {
    assertUnused(mentions);
    return [file];
  });
}

function usesInWords(platen: Platen, file: StoredBlob, mentions: Mentions): string[] {
  const posts = postsUsing(platen, [file]).get(file.id) ?? [];
  if (posts.length > 0)
    return posts.map((post) => `“${postName(post)}”${post.deletedAt ? ", which is in the trash" : ""}`);
  return (mentions.get(file.id) ?? []).map(describeMention);
}

export function describeMention({ kind, title }: Mention): string {
  if (kind === "post") return `the text of “${title || "Untitled"}”, which links to it`;
  if (kind === "revision") return `an older version of “${title || "Untitled"}”`;
  if (kind === "unsaved") return `unsaved changes to “${title || "Untitled"}”`;
  return `the ${kind} of “${title}”`;
}

/** Stores the files from a form sent without scripts. @throws Refusal (forbidden, malformed, invalid) */
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

/**
 * Replaces `previous` with the form's file.
 * @throws Refusal (forbidden, malformed), or invalid if the file is missing or of another kind
 */
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
      assertNoForgery(call, fields);
      return receiveUpload(platen, stream, filename).catch((fault) => {
        throw nameFileInFault(fault, filename);
      });
    },
    discardUpload,
  );
  const received = files.map(({ value }) => value);
  try {
    assertNoForgery(call, fields);
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
