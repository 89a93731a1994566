import { previewInFrame } from "./panel/preview-dialog";
import { sayTime } from "./panel/publish-time";
import { completeTags } from "./panel/tag-completion";

/** Comfort for what stands beside the text; all of it works without. */
const form = document.querySelector<HTMLFormElement>("form#post");
if (form) {
  keepPanel(form);
  sayTime(form);
  confirmFormat(form);
  sayAddress(form);
  completeTags(form);
  closeKommentsOfPages(form);
  previewInFrame(form);
  chooseAll(form);
}

/** Shows the whole address while it is typed, and what will lead on to it. */
export function sayAddress(form: HTMLFormElement): void {
  const field = form.querySelector<HTMLInputElement>("input[name=slug]");
  const place = form.querySelector<HTMLElement>("[data-address]");
  const shown = place?.querySelector("strong");
  if (!field || !place || !shown) return;
  const kept = place.dataset.address ?? "";
  const note = Object.assign(document.createElement("p"), { className: "said" });
  note.setAttribute("role", "status");
  place.after(note);
  const base = place.firstChild?.textContent ?? "";
  field.addEventListener("input", () => {
    // The server has the last word: it knows all letters, and which addresses are taken.
    const wish = field.value.trim().toLowerCase().replace(/\s+/g, "-");
    shown.textContent = wish || kept || "…";
    note.textContent = kept && wish && wish !== kept ? `${base}${kept} will lead here.` : "";
  });
}

/** By the format that is chosen. */
const QUESTIONS: Record<string, string> = {
  markdown:
    "Your text stays HTML: it is not converted to Markdown, and you will edit its HTML source. Switch to Markdown?",
  html: "Your text stays Markdown: its signs will show as they are typed. “Continue in the editor” converts it instead. Switch to rich text?",
};

/** Asks before a text is read as another format than it was written in. */
export function confirmFormat(form: HTMLFormElement): void {
  const select = form.querySelector<HTMLSelectElement>('select[name="content_type"]');
  const area = form.querySelector<HTMLTextAreaElement>('textarea[name="content"]');
  const written = select?.value;
  if (!select || !area || !written) return;
  select.addEventListener("change", () => {
    if (select.value === written || area.value.trim() === "") return;
    if (!confirm(QUESTIONS[select.value])) select.value = written;
  });
}

/** Beside two texts that are to be put together: buttons that choose the same in all. */
export function chooseAll(form: HTMLFormElement): void {
  for (const button of form.querySelectorAll<HTMLButtonElement>("button[data-take]"))
    button.addEventListener("click", () => {
      const { take } = button.dataset;
      for (const choice of form.querySelectorAll<HTMLInputElement>(`.stale [type=radio][value="${take}"]`))
        choice.checked = true;
    });
}

/** A new post that becomes a page takes no komments, as one that is begun as a page: unless its owner has chosen by hand. */
export function closeKommentsOfPages(form: HTMLFormElement): void {
  const type = form.querySelector<HTMLSelectElement>("select[name=type]");
  const closed = form.querySelector<HTMLInputElement>("#switch-kommentsDisabled");
  const isNew = form.querySelector<HTMLInputElement>("input[name=id]")?.value === "";
  if (!type || !closed || !isNew || closed.checked) return;
  let isChosen = false;
  closed.addEventListener("change", () => {
    isChosen = true;
  });
  type.addEventListener("change", () => {
    if (!isChosen) closed.checked = type.value === "page";
  });
}

/** From here on it stands beside the text; editor.css has the same. */
const BESIDE = "(min-width: 80rem)";
/** In seconds. */
const YEAR = 31_536_000;

/** The way in the page's head opens and shuts the panel; where it stands beside the text, it stays as it was left. */
export function keepPanel(form: HTMLFormElement): void {
  const panel = form.querySelector<HTMLDetailsElement>("details.post-panel");
  const way = form.querySelector<HTMLAnchorElement>("a[data-settings]");
  const summary = panel?.querySelector("summary");
  if (!panel || !way || !summary) return;
  const show = () => way.setAttribute("aria-expanded", String(panel.open));
  way.setAttribute("aria-controls", panel.id);
  show();
  way.addEventListener("click", (event) => {
    event.preventDefault();
    panel.open = !(panel.open && matchMedia(BESIDE).matches);
    if (!panel.open) return;
    summary.focus({ preventScroll: true });
    if (!matchMedia(BESIDE).matches) summary.scrollIntoView();
  });
  panel.addEventListener("toggle", () => {
    show();
    if (!matchMedia(BESIDE).matches) return;
    keep(panel.open ? "open" : "shut");
    if (!panel.open && document.activeElement === summary) way.focus();
  });
}

/** The server reads it, so that nothing moves when the page comes (see session-cookie). */
function keep(how: string): void {
  const isSecure = location.protocol === "https:";
  const name = `${isSecure ? "__Host-" : ""}platen_panel`;
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store is there over https only
  document.cookie = `${name}=${how}; path=/; max-age=${YEAR}; samesite=lax${isSecure ? "; secure" : ""}`;
}
