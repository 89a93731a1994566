import { element } from "../editor/browser/elements-and-icons";
import { acceptDroppedFiles, type Upload, UploadQueue } from "../editor/browser/uploads";
import { fetchPage, followForms, reloadParts } from "./live-filter-and-fetching";
import { showToast } from "./toasts-and-copying";

followForms();
loadMoreOnScroll();
uploadChosenFiles();
previewFocus();

function previewFocus(): void {
  const form = document.querySelector<HTMLFormElement>("form[data-focus]");
  const picture = document.querySelector<HTMLElement>(".shown img");
  const [x, y] = [...(form?.querySelectorAll<HTMLInputElement>("input[type=range]") ?? [])];
  if (!form || !picture || !x || !y) return;
  const show = () => {
    for (const crop of form.querySelectorAll("img")) crop.style.objectPosition = `${x.value}% ${y.value}%`;
  };
  form.addEventListener("input", show);
  picture.addEventListener("click", ({ offsetX, offsetY }) => {
    x.value = String(Math.round((100 * offsetX) / picture.offsetWidth));
    y.value = String(Math.round((100 * offsetY) / picture.offsetHeight));
    show();
  });
  show();
}

const LOAD_AHEAD = "1200px";

function loadMoreOnScroll(): void {
  const seen = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries)
        if (isIntersecting) appendNextPage(target as HTMLAnchorElement, seen);
    },
    { rootMargin: LOAD_AHEAD },
  );
  const watch = () => {
    const link = nextLink();
    if (link) seen.observe(link);
  };
  watch();
  document.addEventListener("exchanged", watch);
}

function nextLink(within: ParentNode = document): HTMLAnchorElement | null {
  return within.querySelector<HTMLAnchorElement>("#results a[rel=next]");
}

async function appendNextPage(link: HTMLAnchorElement, seen: IntersectionObserver): Promise<void> {
  seen.unobserve(link);
  const page = await fetchPage(link.href, null);
  // Without a page, for example after the session has ended, the link stays.
  if (!page || !link.isConnected) return;
  const more = page.querySelector("#results .tiles");
  const tiles = document.querySelector("#results .tiles");
  if (more && tiles) tiles.append(...more.children);
  else if (more) document.querySelector("#results")?.prepend(more);
  const next = nextLink(page);
  if (!next) {
    link.remove();
    return;
  }
  link.href = next.href;
  seen.observe(link);
}

function uploadChosenFiles(): void {
  const form = document.querySelector<HTMLFormElement>("form[data-uploads]");
  const input = form?.querySelector<HTMLInputElement>("input[type=file]");
  if (!form || !input) return;
  const items = new Map<Upload, HTMLElement>();
  const queue = new UploadQueue(form, (upload) => {
    const item = items.get(upload);
    if (item) showProgress(upload, item, queue);
  });
  const list = element("ul", "sending");
  form.after(queue.notes, list);
  const take = async (files: Iterable<File>) => {
    const sent = [...files].map((file) => queue.add(file)).filter((upload) => upload !== null);
    for (const upload of sent) items.set(upload, progressItem(upload));
    list.append(...sent.map((upload) => items.get(upload) as HTMLElement));
    await queue.whenIdle();
    refreshLibrary(sent);
  };
  input.addEventListener("change", () => {
    take(input.files ?? []);
    input.value = "";
  });
  acceptDroppedFiles(take);
}

function progressItem({ file }: Upload): HTMLElement {
  const bar = element("progress", { value: 0, ariaLabel: `Uploading ${file.name}` });
  return element("li", {}, element("span", {}, file.name), bar);
}

function showProgress(upload: Upload, item: HTMLElement, queue: UploadQueue): void {
  const bar = item.querySelector("progress");
  if (bar) bar.value = upload.progress;
  if (!upload.stored && !upload.error) return;
  if (upload.error) queue.notify(`${upload.file.name}: ${upload.error}`);
  URL.revokeObjectURL(upload.preview);
  item.remove();
}

function refreshLibrary(sent: Upload[]): void {
  const { length } = sent.filter(({ stored }) => stored !== null);
  if (length === 0) return;
  showToast(length === 1 ? "1 file added." : `${length} files added.`);
  reloadParts(["parts", "count", "results"]);
}
