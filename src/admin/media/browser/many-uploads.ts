import { element } from "../../editor/browser/html/elements";
import { refusalOf } from "../../editor/browser/uploads/acceptance";
import { uploadNotes } from "../../editor/browser/uploads/upload-notes";
import { type Upload, UploadQueue } from "../../editor/browser/uploads/upload-queue";

/** Files that are chosen or dropped are sent at once, a few at a time; then the library shows them. */
export function sendOneByOne(): void {
  const form = document.querySelector<HTMLFormElement>("form[data-uploads]");
  const input = form?.querySelector<HTMLInputElement>("input[type=file]");
  const token = form?.querySelector<HTMLInputElement>("[name=token]")?.value;
  if (!form || !input || !token) return;
  const { notes, tell } = uploadNotes();
  const bars = new Map<string, HTMLElement>();
  const list = element("ul", "sending");
  form.after(notes, list);
  const queue = new UploadQueue(form.dataset.uploads ?? "", token, (upload) => show(upload, bars, tell));
  const take = (files: Iterable<File>) => {
    for (const file of files) {
      const refusal = refusalOf(file);
      if (refusal) tell(refusal);
      else list.append(barFor(queue.add(file), bars));
    }
    queue.whenIdle().then(showLibrary);
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
  const bar = Object.assign(element("progress"), { value: progress, ariaLabel: `Sending ${file.name}` });
  const name = element("span");
  name.textContent = file.name;
  const item = element("li");
  item.append(name, bar);
  bars.set(id, item);
  return item;
}

function show(upload: Upload, bars: Map<string, HTMLElement>, tell: (sentence: string) => void): void {
  const item = bars.get(upload.id);
  const bar = item?.querySelector("progress");
  if (bar) bar.value = upload.progress;
  if (!item || !(upload.stored || upload.fault)) return;
  if (upload.fault) tell(`${upload.file.name}: ${upload.fault}`);
  URL.revokeObjectURL(upload.preview);
  item.remove();
  bars.delete(upload.id);
}

/** The search form fetches what it would lead to; where there is none yet, the page is the first with a file. */
function showLibrary(): void {
  const search = document.querySelector<HTMLFormElement>("form[data-follow]");
  if (search) search.requestSubmit();
  else location.reload();
}
