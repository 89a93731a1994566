import { onTitleEnter } from "./html/title-field";
import { showLivePreview } from "./markdown/live-preview";
import { handleFiles } from "./markdown/markdown-uploads";
import { handleMarkdownKeys } from "./markdown/text-area-keys";
import { delaySavingDuringUploads, uploadNotes } from "./uploads/upload-messages";

const form = document.querySelector<HTMLFormElement>("form#post");
const area = form?.querySelector<HTMLTextAreaElement>('textarea[name="content"][data-editor="markdown"]');
const pictures = form?.querySelector<HTMLElement>(".pictures");
if (form && area && pictures) {
  const token = form.querySelector<HTMLInputElement>('input[name="token"]')?.value ?? "";
  const { notes, notify } = uploadNotes();
  area.before(notes);
  onTitleEnter(form, () => area.focus());
  handleMarkdownKeys(area);
  const queue = handleFiles(area, pictures, { address: form.dataset.uploads ?? "", token }, notify);
  delaySavingDuringUploads(form, queue, notify);
  const preview = form.querySelector<HTMLButtonElement>("button.preview");
  if (preview) showLivePreview(form, preview);
}
