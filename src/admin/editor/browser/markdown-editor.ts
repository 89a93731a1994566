import { onTitleEnter } from "./html/title-field";
import { showLivePreview } from "./markdown/live-preview";
import { handleFiles } from "./markdown/markdown-uploads";
import { handleMarkdownKeys } from "./markdown/text-area-keys";
import { delaySavingDuringUploads } from "./uploads/saving-during-uploads";

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
