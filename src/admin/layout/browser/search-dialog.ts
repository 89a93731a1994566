import { fetchPage } from "./fetch-page";

const DEBOUNCE_MS = 120;

export function openSearchByKey(): void {
  const dialog = document.querySelector<HTMLDialogElement>("#search-dialog");
  if (!dialog) return;
  const search = new SearchDialog(dialog);
  document.addEventListener("keydown", (event) => {
    const isKey = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
    if (!isKey || event.key.toLowerCase() !== "k" || event.defaultPrevented) return;
    event.preventDefault();
    if (dialog.open) dialog.close();
    else if (!document.querySelector("dialog:modal")) search.open();
  });
  for (const link of document.querySelectorAll<HTMLElement>("[data-search]"))
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      search.open();
    });
}

class SearchDialog {
  readonly #form: HTMLFormElement;
  readonly #field: HTMLInputElement;
  readonly #results: HTMLElement;
  readonly #status: HTMLElement;
  #timer = 0;
  #request = new AbortController();
  #shown: string | null = null;

  constructor(readonly dialog: HTMLDialogElement) {
    this.#form = dialog.querySelector("form") as HTMLFormElement;
    this.#field = dialog.querySelector("input") as HTMLInputElement;
    this.#results = dialog.querySelector(".results") as HTMLElement;
    this.#status = dialog.querySelector("[role=status]") as HTMLElement;
    dialog.querySelector("[data-close-search]")?.addEventListener("click", () => dialog.close());
    dialog.addEventListener("keydown", (event) => this.#handleKey(event));
    this.#field.addEventListener("input", () => {
      clearTimeout(this.#timer);
      this.#timer = window.setTimeout(() => this.#update(), DEBOUNCE_MS);
    });
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#openFirst();
    });
  }

  open(): void {
    this.dialog.showModal();
    this.#field.focus();
    this.#field.select();
    this.#update();
  }

  async #openFirst(): Promise<void> {
    if (this.#shown !== this.#field.value) await this.#update();
    if (this.#shown === this.#field.value) this.#links()[0]?.click();
  }

  async #update(): Promise<void> {
    clearTimeout(this.#timer);
    this.#request.abort();
    this.#request = new AbortController();
    const { signal } = this.#request;
    const text = this.#field.value;
    const page = await fetchPage(`${this.#form.action}?${new URLSearchParams({ search: text })}`, signal);
    if (signal.aborted) return;
    this.#shown = page ? text : null;
    this.#results.replaceChildren(...(page?.getElementById("search-results")?.childNodes ?? []));
    this.#status.textContent = page?.getElementById("search-count")?.textContent ?? "";
    this.#status.classList.toggle("spoken", page !== null);
    if (!page) this.#status.textContent = "Search failed. Check your connection and try again.";
  }

  #handleKey(event: KeyboardEvent): void {
    if (event.isComposing) return;
    // In some browsers, Escape in a search field only clears the text.
    if (event.key === "Escape") this.dialog.close();
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      const stops = [this.#field, ...this.#links()];
      const index = stops.indexOf(document.activeElement as HTMLElement);
      stops.at((Math.max(index, 0) + step) % stops.length)?.focus();
    } else if (event.key.length === 1 && event.key !== " " && !event.ctrlKey && !event.metaKey) {
      this.#field.focus();
    }
  }

  #links(): HTMLElement[] {
    return [...this.#results.querySelectorAll("a")];
  }
}
