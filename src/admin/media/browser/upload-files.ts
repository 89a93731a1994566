import { element } from "../../editor/browser/html/elements";
import { refusalOf } from "../../editor/browser/uploads/upload-limits";
import { uploadNotes } from "../../editor/browser/uploads/upload-notes";
import { type Upload, UploadQueue } from "../../editor/browser/uploads/upload-queue";
import { say } from "../../layout/browser/toasts";
import { reloadParts } from "../../posts/browser/live-filter";

/** Uploads chosen or dropped files immediately, a few at a time, then refreshes the library. */
export function uploadChosenFiles(): void {
  const form = document.querySelector<HTMLFormElement>("form[data-uploads]");
  const input = form?.querySelector<HTMLInputElement>("input[type=file]");
  const token = form?.querySelector<HTMLInputElement>("[name=token]")?.value;
  if (!form || !input || !token) return;
  const { notes, tell } = uploadNotes();
  const bars = new Map<string, HTMLElement>();
  const list = element("ul", "sending");
  form.after(notes, list);
  const queue = new UploadQueue(form.dataset.uploads ?? "", token, (upload) =>
    showProgress(upload, bars, tell),
  );
  const take = async (files: Iterable<File>) => {
    const sent: Upload[] = [];
    for (const file of files) {
      const refusal = refusalOf(file);
      if (refusal) tell(refusal);
      else sent.push(queue.add(file));
    }
    list.append(...sent.map((upload) => barFor(upload, bars)));
    await queue.whenIdle();
    refreshLibrary(sent);
  };
  input.addEventListener("change", () => {
    take([...(input.files ?? [])]);
    input.value = "";
  });
  document.addEventListener("dragover", (event) => {
    if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
  });
  document.addEventListener("drop", (event) => {
    if (!event.dataTransfer?.files.length) return;
    event.preventDefault();
    take(event.dataTransfer.files);
  });
}

function barFor({ id, file, progress }: Upload, bars: Map<string, HTMLElement>): HTMLElement {
  const bar = Object.assign(element("progress"), { value: progress, ariaLabel: `Uploading ${file.name}` });
  const name = element("span");
  name.textContent = file.name;
  const item = element("li");
  item.append(name, bar);
  bars.set(id, item);
  return item;
}

function showProgress(
  upload: Upload,
  bars: Map<string, HTMLElement>,
  tell: (sentence: string) => void,
): void {
  const item = bars.get(upload.id);
  const bar = item?.querySelector("progress");
  if (bar) bar.value = upload.progress;
  if (!item || !(upload.stored || upload.fault)) return;
  if (upload.fault) tell(`${upload.file.name}: ${upload.fault}`);
  URL.revokeObjectURL(upload.preview);
  item.remove();
  bars.delete(upload.id);
}

function refreshLibrary(sent: Upload[]): void {
  const { length } = sent.filter(({ stored }) => stored !== null);
  if (length === 0) return;
  say(length === 1 ? "1 file added." : `${length} files added.`);
  reloadParts(["parts", "count", "results"]);
}
