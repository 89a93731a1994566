import { Editor, type Extensions } from "@tiptap/core";
import { Placeholder } from "@tiptap/extensions";
import { addAltTexts, countMissing } from "./alt-texts";
import { attachment, attachmentView } from "./attachments";
import { blockMoving, endOfText, writingBelow } from "./block-keys";
import { schemaExtensions } from "./editor-schema";
import { element, onTitleEnter } from "./elements-and-icons";
import { bookmark, cardView, embed, LinkCards } from "./link-cards-and-players";
import { openContent, type WrittenContent } from "./opening-and-saving";
import {
  fileIntake,
  insertFiles,
  keepFailedPictureAsLink,
  placeOf,
  showStoredFile,
  uploadPastedPicture,
} from "./pasted-and-dropped-files";
import { smartPaste } from "./pasting";
import { blockChoices, slashMenu } from "./slash-menu";
import { selectionToolbar, stickyBar } from "./toolbars";
import { ACCEPTED, acceptDroppedFiles, delaySavingDuringUploads, FileDetails, UploadQueue } from "./uploads";

const form = document.querySelector<HTMLFormElement>("form#post");
const area = form?.querySelector<HTMLTextAreaElement>('textarea[name="content"][data-editor="rich"]');
if (form && area) mountEditor(form, area);

function mountEditor(form: HTMLFormElement, area: HTMLTextAreaElement): void {
  const queue = new UploadQueue(form, (upload) => {
    if (upload.stored) {
      fileDetails.files.set(upload.stored.sgid, upload.stored);
      showStoredFile(editor, upload.id, upload.stored);
    }
    fileDetails.notify();
    keepFailedPictureAsLink(editor, queue, upload);
  });
  const fileDetails = new FileDetails(queue);
  const cards = new LinkCards(fileDetails);
  const insertAtEnd = (files: FileList) => insertFiles(editor, queue, files, editor.state.doc.content.size);
  let wasFocused = false;
  const picker = filePicker((files) => (wasFocused ? insertFiles(editor, queue, files) : insertAtEnd(files)));
  const choices = blockChoices(() => picker.click());
  const place = element("div", "page");
  const editor = createEditor(place, [
    ...schemaExtensions,
    bookmark.extend({ addNodeView: () => cardView(cards) }),
    embed.extend({ addNodeView: () => cardView(cards) }),
    attachment.extend({ addNodeView: () => attachmentView(fileDetails) }),
    Placeholder.configure({
      placeholder: ({ node }) => (node.type.name === "paragraph" ? "Write, or type / for more" : ""),
    }),
    fileIntake(queue),
    smartPaste(cards, (src) => uploadPastedPicture(editor, queue, src)),
    blockMoving,
    writingBelow,
    selectionToolbar,
    slashMenu(choices),
  ]);

  editor.on("focus", () => {
    wasFocused = true;
  });
  syncTextArea(area, editor, fileDetails);
  countMissing(editor, fileDetails);
  form.addEventListener("formdata", ({ formData }) => addAltTexts(formData, editor, fileDetails));
  delaySavingDuringUploads(queue, (upload) => placeOf(editor, upload) !== null);
  for (const part of form.querySelectorAll("[data-without-scripts]")) part.remove();
  area.hidden = true;
  area.before(queue.notes, place, picker);
  form.append(stickyBar(editor, choices));
  onTitleEnter(form, () => {
    editor.commands.setTextSelection(0);
    editor.view.focus();
  });
  acceptDroppedFiles(insertAtEnd);
  offerMarkdownEditor(form, area);
  if (area.autofocus) editor.commands.focus(endOfText(editor.state.doc) - 1);
  // The editor is taller than the text area and may have pushed the focused field out of view.
  else if (form.contains(document.activeElement))
    document.activeElement?.scrollIntoView({ block: "nearest" });
}

function filePicker(insertFiles: (files: FileList) => void): HTMLInputElement {
  const picker = element("input", { type: "file", multiple: true, accept: ACCEPTED, hidden: true });
  picker.ariaLabel = "Pictures and videos";
  picker.addEventListener("change", () => {
    if (picker.files) insertFiles(picker.files);
    picker.value = "";
  });
  return picker;
}

/** @param extensions if several with the same priority handle a key, the last one wins */
function createEditor(place: HTMLElement, extensions: Extensions): Editor {
  return new Editor({
    element: place,
    injectCSS: false,
    extensions,
    editorProps: {
      attributes: {
        role: "textbox",
        "aria-multiline": "true",
        "aria-label": "Content",
        class: "prose",
        dir: "auto",
        spellcheck: "true",
      },
    },
  });
}

/** If another script changes the text area, the editor loads the new text. */
function syncTextArea(area: HTMLTextAreaElement, editor: Editor, { queue, files }: FileDetails): void {
  const altTexts: Record<string, string> = JSON.parse(queue.form.dataset.altText ?? "{}");
  const open = (): WrittenContent =>
    openContent(editor, area.value, (sgid) => ({ alt: altTexts[files.get(sgid)?.filename ?? ""] ?? null }));
  let content = open();
  let isOwnUpdate = false;
  editor.on("update", () => {
    area.value = content.html(editor.state.doc);
    isOwnUpdate = true;
    area.dispatchEvent(new Event("input", { bubbles: true }));
    isOwnUpdate = false;
  });
  area.addEventListener("input", () => {
    if (!isOwnUpdate) content = open();
  });
}

function offerMarkdownEditor(form: HTMLFormElement, area: HTMLTextAreaElement): void {
  const fieldValue = (name: string) => form.querySelector<HTMLInputElement>(`[name="${name}"]`)?.value ?? "";
  form.querySelector('[name="content_type"]')?.addEventListener("change", () => {
    if (area.value !== "" || fieldValue("id") !== "") return;
    const chosen = { format: "markdown", type: fieldValue("type"), title: fieldValue("title") };
    location.search = `?${new URLSearchParams(chosen)}`;
  });
}
