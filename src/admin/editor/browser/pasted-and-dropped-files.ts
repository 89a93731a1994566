import { type Editor, findChildren } from "@tiptap/core";
import type { Node as Content } from "@tiptap/pm/model";
import { editorPlugin } from "./editor-plugin";
import type { StoredFile, Upload, UploadQueue } from "./uploads";

/** @param at position in the document; by default, that of the cursor */
export function insertFiles(editor: Editor, queue: UploadQueue, files: Iterable<File>, at?: number): void {
  const uploads = [...files].map((file) => queue.add(file)).filter((upload) => upload !== null);
  if (uploads.length === 0) return;
  const blocks = uploads.map(({ id, file }) => ({
    type: "attachment",
    attrs: { filename: file.name, contentType: file.type, upload: id },
  }));
  const place = placeFor(editor, at ?? editor.state.selection.to);
  editor.chain().insertContentAt(place, blocks).focus().run();
}

/** Does not split paragraphs. */
function placeFor(editor: Editor, place: number): number | { from: number; to: number } {
  const { doc } = editor.state;
  const resolved = doc.resolve(Math.min(place, doc.content.size));
  if (resolved.depth === 0) {
    const before = resolved.nodeBefore;
    return resolved.pos - (before && isEmptyParagraph(before) ? before.nodeSize : 0);
  }
  const [from, to] = [resolved.before(1), resolved.after(1)];
  if (!isEmptyParagraph(resolved.node(1))) return to;
  const isLast = to === doc.content.size;
  return isLast ? from : { from, to };
}

function isEmptyParagraph({ type, content }: Content): boolean {
  return type.name === "paragraph" && content.size === 0;
}

/** The change is not in the undo history, because undo would bring back the unfinished upload. */
export function showStoredFile(editor: Editor, uploadId: string, stored: StoredFile): void {
  const { doc, tr } = editor.state;
  const { sgid, filename, contentType } = stored;
  for (const { node, pos } of findChildren(doc, ({ attrs }) => attrs.upload === uploadId))
    tr.setNodeMarkup(pos, null, { ...node.attrs, sgid, filename, contentType });
  if (tr.docChanged) editor.view.dispatch(tr.setMeta("addToHistory", false));
}

/**
 * The server fetches pasted pictures by URL.
 * @returns attributes of the attachment; null if the picture cannot be used
 */
export function uploadPastedPicture(
  editor: Editor,
  queue: UploadQueue,
  src: string,
): Record<string, string> | null {
  const inline = fileFromDataUrl(src);
  const url = URL.parse(src, location.href);
  if (!inline && !/^https?:$/.test(url?.protocol ?? "")) {
    queue.notify("A picture could not be pasted. Save it as a file and upload it.");
    return null;
  }
  const upload = inline ? queue.add(inline) : queue.addRemote((url as URL).href);
  // HTML is also parsed without being pasted, so the upload starts only if the picture is in the document.
  if (upload && !inline) setTimeout(() => placeOf(editor, upload) !== null && queue.start(upload));
  return upload && { "data-upload": upload.id, filename: upload.file.name };
}

/** A picture that the server cannot fetch becomes a link. */
export function keepFailedPictureAsLink(editor: Editor, queue: UploadQueue, upload: Upload): void {
  if (!upload.address || !upload.error) return;
  const at = placeOf(editor, upload);
  if (at === null) return;
  queue.notify(`${upload.address}: ${upload.error} The file was kept as a link.`);
  const { schema, tr, doc } = editor.state;
  const words = doc.nodeAt(at)?.attrs.alt || upload.address;
  const link = schema.text(words, [schema.mark("link", { href: upload.address })]);
  tr.replaceWith(at, at + 1, schema.node("paragraph", null, link));
  editor.view.dispatch(tr.setMeta("addToHistory", false));
}

export function placeOf(editor: Editor, { id }: Upload): number | null {
  const [found] = findChildren(editor.state.doc, ({ attrs }) => attrs.upload === id);
  return found?.pos ?? null;
}

function fileFromDataUrl(src: string): File | null {
  const [, type = "", base64 = ""] = /^data:(image\/[a-z]+);base64,(.*)$/s.exec(src) ?? [];
  if (!type) return null;
  try {
    const bytes = Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
    return new File([bytes], `picture.${type.slice("image/".length)}`, { type });
  } catch {
    return null;
  }
}

export const fileIntake = (queue: UploadQueue) =>
  editorPlugin("fileIntake", (editor) => {
    const handleFiles = (files: FileList | undefined, at?: number) => {
      if (!files?.length) return false;
      insertFiles(editor, queue, files, at);
      return true;
    };
    return {
      props: {
        handlePaste: (_view, { clipboardData }) =>
          !holdsText(clipboardData?.getData("text/html") ?? "") && handleFiles(clipboardData?.files),
        handleDrop: (view, { clientX, clientY, dataTransfer }, _slice, isMoved) => {
          const at = view.posAtCoords({ left: clientX, top: clientY })?.pos;
          return !isMoved && handleFiles(dataTransfer?.files, at);
        },
      },
    };
  });

/** Word processors add a picture to copied text. A copied picture has no text. */
function holdsText(html: string): boolean {
  return html.replace(/<[^>]*>/g, "").trim() !== "";
}
