const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export function showPublishTime(form: HTMLFormElement): void {
  const field = form.querySelector<HTMLInputElement>("input[name=publish_at]");
  const place = form.querySelector<HTMLElement>("[data-time-said]");
  const zone = field?.dataset.zone;
  const publish = form.querySelector(".ways button[value=publish]");
  if (!field || !place || !zone) return;
  field.addEventListener("input", () => {
    const at = instantOf(field.value, zone);
    place.textContent = at === null ? "" : describeDistance(at - Date.now());
    if (publish) publish.textContent = at !== null && at > Date.now() ? "Schedule" : "Publish";
  });
  form.querySelector("[data-now]")?.addEventListener("click", () => {
    field.value = new Date(wallAt(Date.now(), zone)).toISOString().slice(0, "yyyy-mm-ddThh:mm".length);
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
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
