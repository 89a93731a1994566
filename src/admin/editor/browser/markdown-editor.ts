import { element, labelled, onTitleEnter } from "./elements-and-icons";
import { showLivePreview } from "./preview";
import { delaySavingDuringUploads, type StoredFile, type Upload, UploadQueue } from "./uploads";

const MARKERS: Record<string, [before: string, after: string]> = {
  b: ["**", "**"],
  i: ["*", "*"],
  k: ["[", "](https://)"],
};
const ITEM = /^(\s*)(?:([-*+]) (\[[ xX]\] )?|(\d{1,9})([.)]) |(> ?))/;

const form = document.querySelector("form#post") as HTMLFormElement;
const area = form.querySelector("textarea[name=content]") as HTMLTextAreaElement;
const pictures = form.querySelector(".pictures") as HTMLElement;

onTitleEnter(form, () => area.focus());
handleMarkdownKeys();
const queue = handleFiles();
area.before(queue.notes);
delaySavingDuringUploads(queue);
showLivePreview(form, form.querySelector("button.preview") as HTMLButtonElement);

function handleFiles(): UploadQueue {
  const queue = new UploadQueue(form, (upload) => {
    if (upload.stored) {
      replaceLine(upload, elementOf(upload.stored));
      pictures.append(fieldsFor(upload.stored));
    } else if (upload.error) {
      replaceLine(upload, "");
      queue.notify(`${upload.file.name}: ${upload.error}`);
    }
  });
  const uploadFiles = (files: FileList | null | undefined) => {
    for (const file of files ?? []) {
      const upload = queue.add(file);
      if (upload) replaceSelection(`${area.selectionStart > 0 ? "\n\n" : ""}${lineOf(upload)}\n\n`);
    }
    return Boolean(files?.length);
  };
  area.addEventListener(
    "paste",
    (event) => uploadFiles(event.clipboardData?.files) && event.preventDefault(),
  );
  area.addEventListener("dragover", (event) => event.preventDefault());
  area.addEventListener("drop", (event) => uploadFiles(event.dataTransfer?.files) && event.preventDefault());
  const picker = pictures.querySelector<HTMLInputElement>('input[type="file"]');
  picker?.addEventListener("change", () => {
    uploadFiles(picker.files);
    picker.value = "";
  });
  return queue;
}

function lineOf({ file, id }: Upload): string {
  return `[${file.name} is uploading ${id.slice(0, 8)}]`;
}

function replaceLine(upload: Upload, text: string): void {
  const line = lineOf(upload);
  const at = area.value.indexOf(line);
  if (at < 0) return;
  area.setRangeText(text, at, at + line.length, "preserve");
  area.dispatchEvent(new Event("input", { bubbles: true }));
}

function elementOf({ sgid, contentType, filename }: StoredFile): string {
  const attachment = document.createElement("action-text-attachment");
  for (const [name, value] of Object.entries({ sgid, "content-type": contentType, filename, caption: "" }))
    attachment.setAttribute(name, value);
  return attachment.outerHTML;
}

/** Like src/admin/editor/alt-text-and-caption-fields.ts, without the caption, which the Markdown contains. */
function fieldsFor({ filename, mediaType, url, thumbnail }: StoredFile): HTMLElement {
  const src = mediaType === "image" ? url : thumbnail;
  const image = element("img", { src, alt: "", width: 96, height: 96 });
  const name = element("input", { type: "hidden", name: "alt_file", value: filename });
  const alt = labelled("Alt text", element("input", { type: "text", name: "alt" }));
  const box = element("input", { type: "checkbox", name: "decorative", value: filename });
  const decorative = labelled("Decorative: adds nothing to the text", box);
  decorative.className = "switch";
  return element("div", "picture-fields", image, element("div", {}, name, alt, decorative));
}

function handleMarkdownKeys(): void {
  area.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    const markers =
      (event.ctrlKey || event.metaKey) && !event.altKey ? MARKERS[event.key.toLowerCase()] : undefined;
    // Without a selection, Ctrl+K opens the search.
    const isSearch = event.key.toLowerCase() === "k" && area.selectionStart === area.selectionEnd;
    if (markers && isSearch) return;
    const isDone = markers
      ? wrapSelection(...markers)
      : event.key === "Enter" && !event.shiftKey && continueList();
    if (isDone) event.preventDefault();
  });
}

function continueList(): boolean {
  const { selectionStart: at, selectionEnd, value } = area;
  if (at !== selectionEnd) return false;
  const start = value.lastIndexOf("\n", at - 1) + 1;
  const continuation = continuationOf(value.slice(start, at));
  if (continuation === null) return false;
  // An empty item ends the list: its marker is deleted.
  if (continuation === "") area.setSelectionRange(start, at);
  replaceSelection(continuation);
  return true;
}

function wrapSelection(before: string, after: string): boolean {
  const { selectionStart, selectionEnd, value } = area;
  replaceSelection(before + value.slice(selectionStart, selectionEnd) + after);
  area.setSelectionRange(selectionStart + before.length, selectionEnd + before.length);
  return true;
}

function replaceSelection(text: string): void {
  area.focus();
  // execCommand is deprecated, but setRangeText would lose the undo history.
  const isInserted =
    text === "" ? document.execCommand("delete") : document.execCommand("insertText", false, text);
  if (isInserted) return;
  area.setRangeText(text, area.selectionStart, area.selectionEnd, "end");
  area.dispatchEvent(new Event("input", { bubbles: true }));
}

function continuationOf(line: string): string | null {
  const match = ITEM.exec(line);
  if (!match) return null;
  const [sign, indent, bullet, task, number, dot, quote] = match;
  if (line.slice(sign.length).trim() === "") return "";
  const next = bullet
    ? `${bullet} ${task ? "[ ] " : ""}`
    : number
      ? `${Number(number) + 1}${dot} `
      : (quote as string);
  return `\n${indent}${next}`;
}
