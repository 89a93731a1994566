import type { Editor } from "@tiptap/core";
import { element } from "../html/elements";
import { lacksAlt } from "../uploads/attachment-fields";
import type { FileDetails, StoredFiles } from "../uploads/file-details";
import { cardPictures } from "./link-cards";

export function countMissing(
  form: HTMLFormElement,
  editor: Editor,
  files: StoredFiles,
  fileDetails: FileDetails,
): void {
  const missing = form.querySelector<HTMLElement>("[data-missing-alt]");
  const count = () => missing && showMissing(missing, editor, files);
  editor.on("update", count);
  fileDetails.listeners.add(() => count());
  count();
  missing?.addEventListener("click", () => focusFirstMissing(editor, files));
}

function attachmentsIn(editor: Editor) {
  const found: { at: number; attrs: { sgid: string; filename: string; alt: string | null } }[] = [];
  editor.state.doc.descendants(({ type, attrs }, at) => {
    if (type.name === "attachment") found.push({ at, attrs: attrs as never });
    return !type.isTextblock;
  });
  return found;
}

function showMissing(place: HTMLElement, editor: Editor, files: StoredFiles): void {
  const count = attachmentsIn(editor).filter(({ attrs }) => attrs.sgid && lacksAlt(attrs, files)).length;
  if (place.hidden === (count === 0) && place.firstChild?.nodeValue === String(count)) return;
  place.hidden = count === 0;
  const words = element("span", "words");
  words.textContent = " without alt text";
  place.replaceChildren(String(count), words);
  place.title = place.textContent;
}

function focusFirstMissing(editor: Editor, files: StoredFiles): void {
  const first = attachmentsIn(editor).find(({ attrs }) => attrs.sgid && lacksAlt(attrs, files));
  const shown = first && editor.view.nodeDOM(first.at);
  if (!(shown instanceof HTMLElement)) return;
  shown.querySelector<HTMLElement>(".alt-chip[aria-expanded=false]")?.click();
  shown.querySelector<HTMLTextAreaElement>("textarea.alt")?.focus();
}

export function addAltTexts(data: FormData, editor: Editor, files: StoredFiles): void {
  for (const { attrs } of attachmentsIn(editor)) {
    const filename = files.get(attrs.sgid)?.filename;
    if (!filename) continue;
    data.append("alt_file", filename);
    data.append("alt", attrs.alt ?? "");
    if (attrs.alt === "") data.append("decorative", filename);
  }
  for (const { sgid } of cardPictures(editor)) {
    const filename = files.get(sgid)?.filename;
    if (!filename || data.getAll("alt_file").includes(filename)) continue;
    data.append("alt_file", filename);
    data.append("alt", "");
    data.append("decorative", filename);
  }
}
