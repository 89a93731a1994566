import { element } from "./elements-and-icons";
import { previewInFrame } from "./preview";
import { completeTags } from "./tag-completion";

/** From this width on, the panel is a sidebar. Keep in sync with editor.css. */
const SIDEBAR_QUERY = "(min-width: 80rem)";
const YEAR = 31_536_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Keep in sync with src/posts/post/reach-channels.ts. */
const MAX_NEW_MS = 7 * DAY;

const QUESTIONS: Record<string, string> = {
  markdown: "Your text is not converted: you will edit its HTML source. Switch to Markdown?",
  html: "Your text is not converted: Markdown characters will show as typed. To convert it, use “Continue in the editor”. Switch to rich text?",
};

const form = document.querySelector("form#post") as HTMLFormElement;
const find = <Found extends Element = HTMLInputElement>(selector: string) =>
  form.querySelector(selector) as Found;

rememberPanel();
showPublishTime();
confirmFormat();
showAddress();
completeTags(find("input[name=tags]"));
closeKommentsOfPages();
previewInFrame(form, find("button.preview"));
chooseAll();

function showAddress(): void {
  const field = find("input[name=slug]");
  const place = find<HTMLElement>("[data-address]");
  const shown = find<HTMLElement>("[data-address] strong");
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

function confirmFormat(): void {
  const select = find<HTMLSelectElement>("select[name=content_type]");
  const area = find<HTMLTextAreaElement>("textarea[name=content]");
  const savedFormat = select.value;
  select.addEventListener("change", () => {
    if (select.value === savedFormat || area.value.trim() === "") return;
    if (!confirm(QUESTIONS[select.value])) select.value = savedFormat;
  });
}

function chooseAll(): void {
  for (const button of form.querySelectorAll<HTMLButtonElement>("button[data-take]"))
    button.addEventListener("click", () => {
      const { take } = button.dataset;
      for (const choice of form.querySelectorAll<HTMLInputElement>(`.stale [type=radio][value="${take}"]`))
        choice.checked = true;
    });
}

function closeKommentsOfPages(): void {
  const type = find<HTMLSelectElement>("select[name=type]");
  const closed = find("#switch-kommentsDisabled");
  const isNew = find("input[name=id]").value === "";
  if (!isNew || closed.checked) return;
  let isChosen = false;
  closed.addEventListener("change", () => {
    isChosen = true;
  });
  type.addEventListener("change", () => {
    if (!isChosen) closed.checked = type.value === "page";
  });
}

function rememberPanel(): void {
  const panel = find<HTMLDetailsElement>("details.post-panel");
  const settingsButton = find<HTMLAnchorElement>("a[data-settings]");
  const summary = find<HTMLElement>("details.post-panel > summary");
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

function showPublishTime(): void {
  const field = find("input[name=publish_at]");
  const place = find<HTMLElement>("[data-time-said]");
  const zone = field.dataset.zone ?? "";
  const publish = form.querySelector(".ways button[value=publish]");
  field.addEventListener("input", () => {
    const at = instantOf(field.value, zone);
    place.textContent = at === null ? "" : describeDistance(at - Date.now());
    selectDefaults(at !== null && Date.now() - at >= MAX_NEW_MS);
    if (publish) publish.textContent = at !== null && at > Date.now() ? "Schedule" : "Publish";
  });
  find("[data-now]").addEventListener("click", () => {
    field.value = new Date(wallAt(Date.now(), zone)).toISOString().slice(0, "yyyy-mm-ddThh:mm".length);
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
}

/** Channels that get new posts by default are off for an old date, unless the user selects them. */
function selectDefaults(isOld: boolean): void {
  for (const box of form.querySelectorAll<HTMLInputElement>("input[data-other-description]")) {
    const hint = document.getElementById(box.getAttribute("aria-describedby") ?? "");
    const offered = box.nextElementSibling as HTMLInputElement;
    if (!hint || isOld === (box.name === "override")) continue;
    const description = hint.textContent;
    hint.textContent = box.dataset.otherDescription ?? "";
    box.dataset.otherDescription = description;
    box.name = isOld ? "override" : "switch";
    if (isOld) box.dataset.wasOn = String(box.checked);
    box.checked = !isOld && (box.checked || box.dataset.wasOn !== "false");
    offered.disabled = isOld;
  }
}

function describeDistance(ahead: number): string {
  const away = Math.abs(ahead);
  if (away < MINUTE) return "Now.";
  const [unit, length] = away < HOUR ? ["min", MINUTE] : away < 2 * DAY ? ["h", HOUR] : ["days", DAY];
  const count = Math.round(away / Number(length));
  return ahead > 0 ? `Goes live in ${count} ${unit}.` : `${count} ${unit} ago.`;
}

function instantOf(text: string, zone: string): number | null {
  const wall = Date.parse(`${text}Z`);
  if (Number.isNaN(wall)) return null;
  // The first guess may be on the other side of a clock change, so the offset is read again at the guess.
  const about = wall - (wallAt(wall, zone) - wall);
  return about + wall - wallAt(about, zone);
}

/** @returns milliseconds of the zone's local time, read as if it were UTC */
function wallAt(instant: number, zone: string): number {
  // The Swedish date format resembles ISO 8601.
  const written = new Date(instant).toLocaleString("sv-SE", { timeZone: zone });
  return Date.parse(`${written.replace(" ", "T")}Z`);
}
