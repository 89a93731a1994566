import { element, labelled } from "../html/elements";
import type { StoredFile } from "../uploads/file-details";
import { uploadError } from "../uploads/upload-limits";
import { type Upload, UploadQueue } from "../uploads/upload-queue";
import { replaceSelection } from "./text-area-keys";

export function handleFiles(
  area: HTMLTextAreaElement,
  pictures: HTMLElement,
  endpoint: { address: string; token: string },
  notify: (sentence: string) => void,
): UploadQueue {
  const queue = new UploadQueue(endpoint.address, endpoint.token, (upload) => {
    if (upload.stored) {
      replaceLine(area, upload, elementOf(upload.stored));
      pictures.append(fieldsFor(upload.stored));
    } else if (upload.error) {
      replaceLine(area, upload, "");
      notify(`${upload.file.name}: ${upload.error}`);
    }
  });
  const uploadFiles = (files: FileList | null | undefined) => {
    if (!files?.length) return false;
    for (const file of files) {
      const error = uploadError(file);
      if (error) notify(error);
      else replaceSelection(area, `${area.selectionStart > 0 ? "\n\n" : ""}${lineOf(queue.add(file))}\n\n`);
    }
    return true;
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
  const holder = element("div");
  const attachment = document.createElement("action-text-attachment");
  for (const [name, value] of Object.entries({ sgid, "content-type": contentType, filename, caption: "" }))
    attachment.setAttribute(name, value);
  holder.append(attachment);
  return holder.innerHTML;
}

/** The fields of src/admin/editor/picture-fields.ts without the caption, which the Markdown contains. */
function fieldsFor(file: StoredFile): HTMLElement {
  const row = element("div", "picture-fields");
  const image = new Image(96, 96);
  image.src = file.mediaType === "image" ? file.url : file.thumbnail;
  image.alt = "";
  const name = element("input");
  Object.assign(name, { type: "hidden", name: "alt_file", value: file.filename });
  const alt = element("input");
  Object.assign(alt, { type: "text", name: "alt" });
  const decorative = element("input");
  Object.assign(decorative, { type: "checkbox", name: "decorative", value: file.filename });
  const box = labelled("Decorative: adds nothing to the text", decorative);
  box.className = "switch";
  const fields = element("div");
  fields.append(name, labelled("Alt text", alt), box);
  row.append(image, fields);
  return row;
}
