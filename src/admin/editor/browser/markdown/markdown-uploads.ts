import { element, labelled } from "../html/elements";
import { type StoredFile, type Upload, UploadQueue } from "../uploads/upload-queue";
import { replaceSelection } from "./text-area-keys";

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

/** The fields of src/admin/editor/picture-fields.ts without the caption, which the Markdown contains. */
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
