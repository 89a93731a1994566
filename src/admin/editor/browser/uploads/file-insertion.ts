import { type Editor, Extension } from "@tiptap/core";
import { Plugin } from "@tiptap/pm/state";
import { refusalOf } from "./upload-limits";
import type { Upload, UploadQueue } from "./upload-queue";

/** Puts files into the page at once, and has them sent. @param tell what is not taken, and why */
export function takeFiles(
  editor: Editor,
  queue: UploadQueue,
  files: Iterable<File>,
  tell: (sentence: string) => void,
  at?: number,
): void {
  const blocks = [...files].flatMap((file) => {
    const refusal = refusalOf(file);
    if (refusal) tell(refusal);
    return refusal ? [] : [blockOf(queue.add(file))];
  });
  if (blocks.length === 0) return;
  const place = at ?? editor.state.selection.to;
  editor.chain().insertContentAt(placeFor(editor, place), blocks).focus().run();
}

function blockOf({ id, file }: Upload) {
  return { type: "attachment", attrs: { filename: file.name, contentType: file.type, upload: id } };
}

/** An empty paragraph gives way to what is put into it; other text is not parted. */
function placeFor(editor: Editor, place: number): number | { from: number; to: number } {
  const { doc } = editor.state;
  const resolved = doc.resolve(Math.min(place, doc.content.size));
  if (resolved.depth === 0) return resolved.pos;
  const [from, to] = [resolved.before(1), resolved.after(1)];
  const block = resolved.node(1);
  const isEmpty = block.type.name === "paragraph" && block.content.size === 0;
  if (!isEmpty) return to;
  const isLast = to === doc.content.size;
  return isLast ? from : { from, to };
}

/** Another file in the place of one that is there; what was said of it stays. */
export function replaceFile(queue: UploadQueue, tell: (sentence: string) => void) {
  return (editor: Editor, at: number, file: File): void => {
    const refusal = refusalOf(file);
    if (refusal) tell(refusal);
    else editor.view.dispatch(editor.state.tr.setNodeAttribute(at, "upload", queue.add(file).id));
  };
}

/** What became of an upload, in the page. Taking changes back does not take this back. */
export function showUpload(editor: Editor, { id, stored }: Upload): void {
  const { doc, tr } = editor.state;
  doc.descendants((node, at) => {
    if (node.type.name !== "attachment" || node.attrs.upload !== id) return;
    const { sgid, filename, contentType } = stored ?? (node.attrs as never);
    const attributes = { ...node.attrs, sgid, filename, contentType };
    // Also where nothing is new, so that its view looks at the upload again.
    tr.setNodeMarkup(at, null, { ...attributes, seen: (node.attrs.seen ?? 0) + 1 });
  });
  if (tr.docChanged) editor.view.dispatch(tr.setMeta("addToHistory", false));
}

/**
 * Pasted pictures of other servers, fetched by ours: the editor's policy shows none of theirs. Those that cannot be fetched
 * leave a link.
 */
export function remotePictures(queue: UploadQueue, tell: (sentence: string) => void) {
  return {
    /** Attributes of the attachment element that stands for the picture; null if it cannot be had. */
    attributesFor(editor: Editor, src: string): Record<string, string> | null {
      const inline = fileIn(src);
      const url = URL.parse(src, location.href);
      if (!inline && !/^https?:$/.test(url?.protocol ?? "")) {
        tell("A picture could not be pasted: save it as a file and drop that here.");
        return null;
      }
      const upload = inline ? queue.add(inline) : queue.addRemote((url as URL).href);
      // Of HTML that is read and then not pasted, nothing is fetched.
      if (!inline) setTimeout(() => placeOf(editor, upload) !== null && queue.start(upload));
      return { "data-upload": upload.id, filename: upload.file.name };
    },
    leaveLink(editor: Editor, upload: Upload): void {
      const at = placeOf(editor, upload);
      if (!upload.address || !upload.fault || at === null) return;
      tell(`${upload.address}: ${upload.fault} A link took its place.`);
      const { schema, tr, doc } = editor.state;
      const words = doc.nodeAt(at)?.attrs.alt || upload.address;
      const link = schema.text(words, [schema.mark("link", { href: upload.address })]);
      tr.replaceWith(at, at + 1, schema.node("paragraph", null, link));
      editor.view.dispatch(tr.setMeta("addToHistory", false));
    },
  };
}

function placeOf(editor: Editor, { id }: Upload): number | null {
  let place: number | null = null;
  editor.state.doc.descendants(({ attrs }, at) => {
    if (attrs.upload === id) place = at;
  });
  return place;
}

/** A picture that stands in its own URL. */
function fileIn(src: string): File | null {
  const [, type = "", base64 = ""] = /^data:(image\/[a-z]+);base64,(.*)$/s.exec(src) ?? [];
  if (!type) return null;
  try {
    const bytes = Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
    return new File([bytes], `picture.${type.slice("image/".length)}`, { type });
  } catch {
    return null;
  }
}

/** Files that are dropped or pasted. */
export const fileIntake = (take: (editor: Editor, files: FileList, at?: number) => void) =>
  Extension.create({
    name: "fileIntake",
    addProseMirrorPlugins() {
      const { editor } = this;
      const taken = (files: FileList | undefined, at?: number) => {
        if (!files?.length) return false;
        take(editor, files, at);
        return true;
      };
      return [
        new Plugin({
          props: {
            handlePaste: (_view, { clipboardData }) =>
              !holdsText(clipboardData?.getData("text/html") ?? "") && taken(clipboardData?.files),
            handleDrop: (view, event, _slice, isMoved) =>
              !isMoved &&
              taken(
                event.dataTransfer?.files,
                view.posAtCoords({ left: event.clientX, top: event.clientY })?.pos,
              ),
          },
        }),
      ];
    },
  });

/** Word processors put a picture of the text beside it. A picture that is copied comes with its element. */
function holdsText(html: string): boolean {
  return html.replace(/<[^>]*>/g, "").trim() !== "";
}
