import { element, labelled, onTitleEnter } from "./elements-and-icons";
import { showLivePreview } from "./preview";
import { delaySavingDuringUploads, type StoredFile, type Upload, UploadQueue } from "./uploads";

const form = document.querySelector<HTMLFormElement>("form#post");
const area = form?.querySelector<HTMLTextAreaElement>('textarea[name="content"][data-editor="markdown"]');
const pictures = form?.querySelector<HTMLElement>(".pictures");
if (form && area && pictures) {
  onTitleEnter(form, () => area.focus());
  handleMarkdownKeys(area);
  const queue = handleFiles(form, area, pictures);
  area.before(queue.notes);
  delaySavingDuringUploads(queue);
  const preview = form.querySelector<HTMLButtonElement>("button.preview");
  if (preview) showLivePreview(form, preview);
}

export function handleFiles(
  form: HTMLFormElement,
  area: HTMLTextAreaElement,
  pictures: HTMLElement,
): UploadQueue {
  const queue = new UploadQueue(form, (upload) => {
    if (upload.stored) {
      replaceLine(area, upload, elementOf(upload.stored));
      pictures.append(fieldsFor(upload.stored));
    } else if (upload.error) {
      replaceLine(area, upload, "");
      queue.notify(`${upload.file.name}: ${upload.error}`);
    }
  });
  const uploadFiles = (files: FileList | null | undefined) => {
    for (const file of files ?? []) {
      const upload = queue.add(file);
      if (upload) replaceSelection(area, `${area.selectionStart > 0 ? "\n\n" : ""}${lineOf(upload)}\n\n`);
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

function replaceLine(area: HTMLTextAreaElement, upload: Upload, text: string): void {
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

const MARKERS: Record<string, [before: string, after: string]> = {
  b: ["**", "**"],
  i: ["*", "*"],
  k: ["[", "](https://)"],
};

export function handleMarkdownKeys(area: HTMLTextAreaElement): void {
  area.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    const markers =
      (event.ctrlKey || event.metaKey) && !event.altKey ? MARKERS[event.key.toLowerCase()] : undefined;
    // Without a selection, Ctrl+K opens the search.
    const isSearch = event.key.toLowerCase() === "k" && area.selectionStart === area.selectionEnd;
    if (markers && isSearch) return;
    const isDone = markers
      ? wrapSelection(area, ...markers)
      : event.key === "Enter" && !event.shiftKey && continueList(area);
    if (isDone) event.preventDefault();
  });
}

function continueList(area: HTMLTextAreaElement): boolean {
  const { selectionStart: at, selectionEnd, value } = area;
  if (at !== selectionEnd) return false;
  const start = value.lastIndexOf("\n", at - 1) + 1;
  const continuation = continuationOf(value.slice(start, at));
  if (continuation === null) return false;
  // An empty item ends the list: its marker is deleted.
  if (continuation === "") area.setSelectionRange(start, at);
  replaceSelection(area, continuation);
  return true;
}

function wrapSelection(area: HTMLTextAreaElement, before: string, after: string): boolean {
  const { selectionStart, selectionEnd, value } = area;
  replaceSelection(area, before + value.slice(selectionStart, selectionEnd) + after);
  area.setSelectionRange(selectionStart + before.length, selectionEnd + before.length);
  return true;
}

export function replaceSelection(area: HTMLTextAreaElement, text: string): void {
  area.focus();
  // execCommand is deprecated, but setRangeText would lose the undo history.
  const isInserted =
    text === "" ? document.execCommand("delete") : document.execCommand("insertText", false, text);
  if (isInserted) return;
  area.setRangeText(text, area.selectionStart, area.selectionEnd, "end");
  area.dispatchEvent(new Event("input", { bubbles: true }));
}

const ITEM = /^(\s*)(?:([-*+]) (\[[ xX]\] )?|(\d{1,9})([.)]) |(> ?))/;

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
