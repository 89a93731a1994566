import { fetchPage } from "./live-filter-and-fetching";

const DEBOUNCE_MS = 120;

export function openSearchByKey(): void {
  const dialog = document.querySelector<HTMLDialogElement>("#search-dialog");
  if (!dialog) return;
  const openSearch = prepareSearch(dialog);
  document.addEventListener("keydown", (event) => {
    const isKey = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
    if (!isKey || event.key.toLowerCase() !== "k" || event.defaultPrevented) return;
    event.preventDefault();
    if (dialog.open) dialog.close();
    else if (!document.querySelector("dialog:modal")) openSearch();
  });
  for (const link of document.querySelectorAll<HTMLElement>("[data-search]"))
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      openSearch();
    });
}

/** @returns a function that opens the dialog */
function prepareSearch(dialog: HTMLDialogElement): () => void {
  const form = dialog.querySelector("form") as HTMLFormElement;
  const field = dialog.querySelector("input") as HTMLInputElement;
  const results = dialog.querySelector(".results") as HTMLElement;
  const status = dialog.querySelector("[role=status]") as HTMLElement;
  let timer = 0;
  let request = new AbortController();
  let shown: string | null = null;

  const links = () => [...results.querySelectorAll("a")];

  async function update(): Promise<void> {
    clearTimeout(timer);
    request.abort();
    request = new AbortController();
    const { signal } = request;
    const text = field.value;
    const page = await fetchPage(`${form.action}?${new URLSearchParams({ search: text })}`, signal);
    if (signal.aborted) return;
    shown = page ? text : null;
    results.replaceChildren(...(page?.getElementById("search-results")?.childNodes ?? []));
    status.textContent = page?.getElementById("search-count")?.textContent ?? "";
    status.classList.toggle("spoken", page !== null);
    if (!page) status.textContent = "Search failed. Check your connection and try again.";
  }

  dialog.querySelector("[data-close-search]")?.addEventListener("click", () => dialog.close());
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = window.setTimeout(update, DEBOUNCE_MS);
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (shown !== field.value) await update();
    if (shown === field.value) links()[0]?.click();
  });
  dialog.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    // In some browsers, Escape in a search field only clears the text.
    if (event.key === "Escape") dialog.close();
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      const stops: HTMLElement[] = [field, ...links()];
      const index = stops.indexOf(document.activeElement as HTMLElement);
      stops.at((Math.max(index, 0) + step) % stops.length)?.focus();
    } else if (event.key.length === 1 && event.key !== " " && !event.ctrlKey && !event.metaKey) {
      field.focus();
    }
  });
  return () => {
    dialog.showModal();
    field.focus();
    field.select();
    update();
  };
}

const MAX_KEY_GAP_MS = 1500;

/**
 * Elements have their keys in `data-keys`, such as "n" or "g p". The editor page has no shortcuts, because
 * typing could trigger them after the text has lost the focus.
 */
export function listenForShortcuts(): void {
  if (document.body.classList.contains("is-writing")) return;
  let before = { key: "", at: 0 };
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || isTyping(event.target))
      return;
    const sequence = event.timeStamp - before.at < MAX_KEY_GAP_MS ? `${before.key} ${event.key}` : "";
    before = { key: event.key, at: event.timeStamp };
    const target = withKeys(sequence) ?? withKeys(event.key);
    if (!target || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    reach(target);
  });
}

function isTyping(target: EventTarget | null): boolean {
  const element = target as HTMLElement | null;
  return Boolean(element?.isContentEditable || element?.closest?.("input, textarea, select"));
}

function withKeys(keys: string): HTMLElement | null {
  return keys === "" ? null : document.querySelector(`[data-keys="${CSS.escape(keys)}"]`);
}

function reach(element: HTMLElement): void {
  if (element instanceof HTMLDialogElement) element.showModal();
  else if (element instanceof HTMLInputElement) element.select();
  else element.click();
}
