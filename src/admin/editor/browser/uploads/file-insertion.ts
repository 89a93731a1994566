import { type Editor, Extension } from "@tiptap/core";
import type { Node as Content } from "@tiptap/pm/model";
import { Plugin } from "@tiptap/pm/state";
import type { StoredFile } from "./file-details";
import { uploadError } from "./upload-limits";
import type { Upload, UploadQueue } from "./upload-queue";

export function insertFiles(
  editor: Editor,
  queue: UploadQueue,
  files: Iterable<File>,
  notify: (sentence: string) => void,
  at?: number,
): void {
  const blocks = [...files].flatMap((file) => {
    const error = uploadError(file);
    if (error) notify(error);
    return error ? [] : [blockOf(queue.add(file))];
  });
  if (blocks.length === 0) return;
  const place = at ?? editor.state.selection.to;
  editor.chain().insertContentAt(placeFor(editor, place), blocks).focus().run();
}

function blockOf({ id, file }: Upload) {
  return { type: "attachment", attrs: { filename: file.name, contentType: file.type, upload: id } };
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
  const block = resolved.node(1);
  if (!isEmptyParagraph(block)) return to;
  const isLast = to === doc.content.size;
  return isLast ? from : { from, to };
}

function isEmptyParagraph({ type, content }: Content): boolean {
  return type.name === "paragraph" && content.size === 0;
}

export function replaceFile(queue: UploadQueue, notify: (sentence: string) => void) {
  return (editor: Editor, at: number, file: File): void => {
    const error = uploadError(file);
    if (error) notify(error);
    else editor.view.dispatch(editor.state.tr.setNodeAttribute(at, "upload", queue.add(file).id));
  };
}

/** The change is not in the undo history, because undo would bring back the unfinished upload. */
export function showStoredFile(editor: Editor, uploadId: string, stored: StoredFile): void {
  const { doc, tr } = editor.state;
  const { sgid, filename, contentType } = stored;
  doc.descendants(({ attrs }, at) => {
    if (attrs.upload === uploadId) tr.setNodeMarkup(at, null, { ...attrs, sgid, filename, contentType });
  });
  if (tr.docChanged) editor.view.dispatch(tr.setMeta("addToHistory", false));
}

/** The server fetches pictures by URL. A picture that cannot be fetched becomes a link. */
export function remotePictures(queue: UploadQueue, notify: (sentence: string) => void) {
  return {
    attributesFor(editor: Editor, src: string): Record<string, string> | null {
      const inline = fileFromDataUrl(src);
      const url = URL.parse(src, location.href);
      if (!inline && !/^https?:$/.test(url?.protocol ?? "")) {
        notify("A picture could not be pasted. Save it as a file and upload it.");
        return null;
      }
      const upload = inline ? queue.add(inline) : queue.addRemote((url as URL).href);
      // HTML is also parsed without being pasted, so the upload starts only if the picture is in the
      // document.
      if (!inline) setTimeout(() => placeOf(editor, upload) !== null && queue.start(upload));
      return { "data-upload": upload.id, filename: upload.file.name };
    },
    leaveLink(editor: Editor, upload: Upload): void {
      const at = placeOf(editor, upload);
      if (!upload.address || !upload.error || at === null) return;
      notify(`${upload.address}: ${upload.error} The file was kept as a link.`);
      const { schema, tr, doc } = editor.state;
      const words = doc.nodeAt(at)?.attrs.alt || upload.address;
      const link = schema.text(words, [schema.mark("link", { href: upload.address })]);
      tr.replaceWith(at, at + 1, schema.node("paragraph", null, link));
      editor.view.dispatch(tr.setMeta("addToHistory", false));
    },
  };
}

export function placeOf(editor: Editor, { id }: Upload): number | null {
  let place: number | null = null;
  editor.state.doc.descendants(({ attrs }, at) => {
    if (attrs.upload === id) place = at;
  });
  return place;
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

export const fileIntake = (insertFiles: (editor: Editor, files: FileList, at?: number) => void) =>
  Extension.create({
    name: "fileIntake",
    addProseMirrorPlugins() {
      const { editor } = this;
      const handleFiles = (files: FileList | undefined, at?: number) => {
        if (!files?.length) return false;
        insertFiles(editor, files, at);
        return true;
      };
      return [
        new Plugin({
          props: {
            handlePaste: (_view, { clipboardData }) =>
              !holdsText(clipboardData?.getData("text/html") ?? "") && handleFiles(clipboardData?.files),
            handleDrop: (view, event, _slice, isMoved) =>
              !isMoved &&
              handleFiles(
                event.dataTransfer?.files,
                view.posAtCoords({ left: event.clientX, top: event.clientY })?.pos,
              ),
          },
        }),
      ];
    },
  });

/** Word processors add a picture to copied text. A copied picture has no text. */
function holdsText(html: string): boolean {
  return html.replace(/<[^>]*>/g, "").trim() !== "";
}
