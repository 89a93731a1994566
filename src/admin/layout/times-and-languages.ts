import type { Blog } from "../../blogs/blogs";
import { DAY, HOUR, MINUTE } from "../../config/units";
import { type Html, html } from "../../text/html";

export interface Times {
  /** Such as "3 h ago", "12 Mar 2026" or "on 12 Mar 2026, 09:00". The title attribute has the full time. */
  near(at: Date): Html;
  full(at: Date): string;
  /** True if `near` shows the full time. */
  isFull(at: Date): boolean;
}

export function timesFor({ timeZone }: Pick<Blog, "timeZone">, now: Date): Times {
  const day = lazyFormat({ dateStyle: "medium", timeZone });
  const full = lazyFormat({ dateStyle: "medium", timeStyle: "short", timeZone });
  return {
    full,
    isFull: (at) => at > now && distanceBetween(at, now) === null,
    near: (at) => {
      const distance = distanceBetween(at, now);
      const words = distance ?? `${at > now ? "on " : ""}${at > now ? full(at) : day(at)}`;
      return html`<time datetime="${at.toISOString()}" title="${full(at)} (${timeZone})">${words}</time>`;
    },
  };
}

/** Creates the formatter on first use, because its creation is slow. */
function lazyFormat(options: Intl.DateTimeFormatOptions): (at: Date) => string {
  let format: Intl.DateTimeFormat | undefined;
  return (at) => {
    format ??= new Intl.DateTimeFormat("en-GB", options);
    return format.format(at);
  };
}

function distanceBetween(at: Date, now: Date): string | null {
  const away = Math.abs(at.getTime() - now.getTime());
  if (away < MINUTE) return at > now ? "in a moment" : "just now";
  const [unit, length] =
    away < HOUR ? (["min", MINUTE] as const) : away < 2 * DAY ? (["h", HOUR] as const) : ["days", DAY];
  if (away >= 7 * DAY) return null;
  // Future times round up, so that nothing comes later than shown. Past times round down.
  const count = at > now ? Math.ceil(away / length) : Math.floor(away / length);
  return at > now ? `in ${count} ${unit}` : `${count} ${unit} ago`;
}

/** @returns the value of a `datetime-local` field, such as "2026-03-01T09:00" */
export function localTime(at: Date, zone: string): string {
  return Temporal.Instant.fromEpochMilliseconds(at.getTime())
    .toZonedDateTimeISO(zone)
    .toPlainDateTime()
    .toString({ smallestUnit: "minute" });
}

const LANGUAGES =
  "ar bg bn ca cs da de el en en-GB en-US es et fa fi fr ga he hi hr hu id it ja ko lt lv nb nl nn pl pt pt-BR ro ru sk sl sr sv th tr uk ur vi zh-Hans zh-Hant".split(
    " ",
  );

export function languageList(): Html {
  const options = LANGUAGES.map((tag) => html`<option value="${tag}">${languageName(tag)}</option>`);
  return html`<datalist id="languages">${options}</datalist>`;
}

export function languageName(tag: string): string {
  return new Intl.DisplayNames("en", { type: "language" }).of(tag) ?? tag;
}
