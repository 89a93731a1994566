import { type Editor, findChildren } from "@tiptap/core";
import { element } from "../html/elements";
import { lacksAlt } from "../uploads/attachment-fields";
import type { FileDetails } from "../uploads/file-details";
import { cardPictures } from "./link-cards";

export function countMissing(editor: Editor, fileDetails: FileDetails): void {
  const place = fileDetails.queue.form.querySelector<HTMLElement>("[data-missing-alt]");
  if (!place) return;
  const show = () => showCount(place, missingIn(editor, fileDetails).length);
  editor.on("update", show);
  fileDetails.listeners.add(show);
  show();
  place.addEventListener("click", () => focusFirstMissing(editor, fileDetails));
}

function attachmentsIn({ state }: Editor) {
  return findChildren(state.doc, ({ type }) => type.name === "attachment");
}

function missingIn(editor: Editor, { files }: FileDetails) {
  const isMissing = (attrs: { sgid: string; alt: string | null }) => attrs.sgid && lacksAlt(attrs, files);
  return attachmentsIn(editor).filter(({ node }) => isMissing(node.attrs as never));
}

function showCount(place: HTMLElement, count: number): void {
  if (place.hidden === (count === 0) && place.firstChild?.nodeValue === String(count)) return;
  place.hidden = count === 0;
  place.replaceChildren(String(count), element("span", "words", " without alt text"));
  place.title = place.textContent;
}

function focusFirstMissing(editor: Editor, fileDetails: FileDetails): void {
  const [first] = missingIn(editor, fileDetails);
  const shown = first && editor.view.nodeDOM(first.pos);
  if (!(shown instanceof HTMLElement)) return;
  shown.querySelector<HTMLElement>(".alt-chip[aria-expanded=false]")?.click();
  shown.querySelector<HTMLTextAreaElement>("textarea.alt")?.focus();
}

export function addAltTexts(data: FormData, editor: Editor, { files }: FileDetails): void {
  const add = (sgid: string, alt: string | null) => {
    const filename = files.get(sgid)?.filename;
    if (!filename) return;
    data.append("alt_file", filename);
    data.append("alt", alt ?? "");
    if (alt === "") data.append("decorative", filename);
  };
  const attachments = attachmentsIn(editor).map(({ node }) => node.attrs);
  for (const { sgid, alt } of attachments) add(sgid, alt);
  for (const { sgid } of cardPictures(editor))
    if (!attachments.some((attrs) => attrs.sgid === sgid)) add(sgid, "");
}
