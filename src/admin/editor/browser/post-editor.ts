import { Editor, type Extensions } from "@tiptap/core";
import { Placeholder } from "@tiptap/extensions";
import { addAltTexts, countMissing } from "./alt-texts";
import { attachment, attachmentView } from "./attachments";
import { blockMoving, endOfText, writingBelow } from "./block-keys";
import { schemaExtensions } from "./editor-schema";
import { element, onTitleEnter } from "./elements-and-icons";
import { bookmark, cardView, embed } from "./link-cards-and-players";
import { openContent, type WrittenContent } from "./opening-and-saving";
import {
  fileIntake,
  insertFiles,
  keepFailedPictureAsLink,
  placeOf,
  showStoredFile,
} from "./pasted-and-dropped-files";
import { smartPaste } from "./pasting";
import { blockChoices, slashMenu } from "./slash-menu";
import { selectionToolbar, stickyBar } from "./toolbars";
import { acceptDroppedFiles, delaySavingDuringUploads, filePicker, UploadQueue } from "./uploads";

const form = document.querySelector("form#post") as HTMLFormElement;
mountEditor(form, form.querySelector("textarea[name=content]") as HTMLTextAreaElement);

function mountEditor(form: HTMLFormElement, area: HTMLTextAreaElement): void {
  const queue = new UploadQueue(form, (upload) => {
    if (upload.stored) showStoredFile(editor, upload.id, upload.stored);
    keepFailedPictureAsLink(editor, queue, upload);
  });
  const insertAtEnd = (files: FileList) => insertFiles(editor, queue, files, editor.state.doc.content.size);
  let wasFocused = false;
  const picker = filePicker(queue.accepted, (files) =>
    wasFocused ? insertFiles(editor, queue, files) : insertAtEnd(files),
  );
  picker.multiple = true;
  picker.ariaLabel = "Pictures and videos";
  const choices = blockChoices(() => picker.click());
  const place = element("div", "page");
  // If several extensions with the same priority handle a key, the last one wins.
  const extensions: Extensions = [
    ...schemaExtensions,
    bookmark.extend({ addNodeView: () => cardView(queue) }),
    embed.extend({ addNodeView: () => cardView(queue) }),
    attachment.extend({ addNodeView: () => attachmentView(queue) }),
    Placeholder.configure({
      placeholder: ({ node }) => (node.type.name === "paragraph" ? "Write, or type / for more" : ""),
    }),
    fileIntake(queue),
    smartPaste(queue),
    blockMoving,
    writingBelow,
    selectionToolbar,
    slashMenu(choices),
  ];
  const attributes = {
    role: "textbox",
    "aria-multiline": "true",
    "aria-label": "Content",
    class: "prose",
    dir: "auto",
    spellcheck: "true",
  };
  const editor = new Editor({ element: place, injectCSS: false, extensions, editorProps: { attributes } });

  editor.on("focus", () => {
    wasFocused = true;
  });
  syncTextArea(area, editor, queue);
  countMissing(editor, queue);
  form.addEventListener("formdata", ({ formData }) => addAltTexts(formData, editor, queue));
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

/** If another script changes the text area, the editor loads the new text. */
function syncTextArea(area: HTMLTextAreaElement, editor: Editor, { form, files }: UploadQueue): void {
  const altTexts: Record<string, string> = JSON.parse(form.dataset.altText ?? "{}");
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
