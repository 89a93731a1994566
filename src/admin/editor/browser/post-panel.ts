import { element } from "./html/elements";
import { previewInFrame } from "./panel/preview-dialog";
import { showPublishTime } from "./panel/publish-time";
import { completeTags } from "./panel/tag-completion";

const form = document.querySelector<HTMLFormElement>("form#post");
if (form) {
  rememberPanel(form);
  showPublishTime(form);
  confirmFormat(form);
  showAddress(form);
  completeTags(form);
  closeKommentsOfPages(form);
  previewInFrame(form);
  chooseAll(form);
}

function showAddress(form: HTMLFormElement): void {
  const field = form.querySelector<HTMLInputElement>("input[name=slug]");
  const place = form.querySelector<HTMLElement>("[data-address]");
  const shown = place?.querySelector("strong");
  if (!field || !place || !shown) return;
  const savedSlug = place.dataset.address ?? "";
  const note = element("p", { className: "said", role: "status" });
  place.after(note);
  const base = place.firstChild?.textContent ?? "";
  field.addEventListener("input", () => {
    // An approximation: the server decides which characters and slugs are allowed.
    const slug = field.value.trim().toLowerCase().replace(/\s+/g, "-");
    shown.textContent = slug || savedSlug || "…";
    note.textContent =
      savedSlug && slug && slug !== savedSlug ? `${base}${savedSlug} will redirect here.` : "";
  });
}

const QUESTIONS: Record<string, string> = {
  markdown: "Your text is not converted: you will edit its HTML source. Switch to Markdown?",
  html: "Your text is not converted: Markdown characters will show as typed. To convert it, use “Continue in the editor”. Switch to rich text?",
};

function confirmFormat(form: HTMLFormElement): void {
  const select = form.querySelector<HTMLSelectElement>('select[name="content_type"]');
  const area = form.querySelector<HTMLTextAreaElement>('textarea[name="content"]');
  const savedFormat = select?.value;
  if (!select || !area || !savedFormat) return;
  select.addEventListener("change", () => {
    if (select.value === savedFormat || area.value.trim() === "") return;
    if (!confirm(QUESTIONS[select.value])) select.value = savedFormat;
  });
}

function chooseAll(form: HTMLFormElement): void {
  for (const button of form.querySelectorAll<HTMLButtonElement>("button[data-take]"))
    button.addEventListener("click", () => {
      const { take } = button.dataset;
      for (const choice of form.querySelectorAll<HTMLInputElement>(`.stale [type=radio][value="${take}"]`))
        choice.checked = true;
    });
}

function closeKommentsOfPages(form: HTMLFormElement): void {
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

/** From this width on, the panel is a sidebar. Keep in sync with editor.css. */
const SIDEBAR_QUERY = "(min-width: 80rem)";
const YEAR = 31_536_000;

function rememberPanel(form: HTMLFormElement): void {
  const panel = form.querySelector<HTMLDetailsElement>("details.post-panel");
  const settingsButton = form.querySelector<HTMLAnchorElement>("a[data-settings]");
  const summary = panel?.querySelector("summary");
  if (!panel || !settingsButton || !summary) return;
  const show = () => {
    settingsButton.ariaExpanded = String(panel.open);
  };
  settingsButton.setAttribute("aria-controls", panel.id);
  show();
  settingsButton.addEventListener("click", (event) => {
    event.preventDefault();
    settingsButton.closest<HTMLElement>("[popover]")?.hidePopover();
    panel.open = !(panel.open && matchMedia(SIDEBAR_QUERY).matches);
    if (!panel.open) return;
    summary.focus({ preventScroll: true });
    if (!matchMedia(SIDEBAR_QUERY).matches) summary.scrollIntoView();
  });
  panel.addEventListener("toggle", () => {
    show();
    if (!matchMedia(SIDEBAR_QUERY).matches) return;
    storePanelState(panel.open ? "open" : "shut");
    if (!panel.open && document.activeElement === summary) settingsButton.focus();
  });
}

/** The name must match `readCookie` in src/owner/session-cookie.ts. */
function storePanelState(state: string): void {
  const isSecure = location.protocol === "https:";
  const name = `${isSecure ? "__Host-" : ""}platen_panel`;
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API needs HTTPS
  document.cookie = `${name}=${state}; path=/; max-age=${YEAR}; samesite=lax${isSecure ? "; secure" : ""}`;
}
