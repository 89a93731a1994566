const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Keep in sync with src/posts/post/reach-channels.ts. */
const MAX_NEW_MS = 7 * DAY;

export function showPublishTime(form: HTMLFormElement): void {
  const field = form.querySelector<HTMLInputElement>("input[name=publish_at]");
  const place = form.querySelector<HTMLElement>("[data-time-said]");
  const zone = field?.dataset.zone;
  const publish = form.querySelector(".ways button[value=publish]");
  if (!field || !place || !zone) return;
  field.addEventListener("input", () => {
    const at = instantOf(field.value, zone);
    place.textContent = at === null ? "" : describeDistance(at - Date.now());
    selectDefaults(form, at !== null && Date.now() - at >= MAX_NEW_MS);
    if (publish) publish.textContent = at !== null && at > Date.now() ? "Schedule" : "Publish";
  });
  form.querySelector("[data-now]")?.addEventListener("click", () => {
    field.value = new Date(wallAt(Date.now(), zone)).toISOString().slice(0, "yyyy-mm-ddThh:mm".length);
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
}

/** Channels that get new posts by default are off for an old date, unless the user selects them. */
function selectDefaults(form: HTMLFormElement, isOld: boolean): void {
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
