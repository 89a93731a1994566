import type { Blog } from "../../blogs/blogs";
import { DAY, HOUR, MINUTE } from "../../config/units";
import { excerpt } from "../../posts/content/plain-text-and-excerpts";
import { isLive, type PostRow } from "../../posts/post/post";
import { type Html, html } from "../../text/html";

const STEPS = [
  ["gigabyte", 1_073_741_824],
  ["megabyte", 1_048_576],
  ["kilobyte", 1024],
] as const;

/** @returns a size such as "1.4 MB" */
export function byteWords(bytes: number): string {
  const [unit, size] = STEPS.find(([, size]) => bytes >= size) ?? ["byte", 1];
  const maximumFractionDigits = bytes / size < 10 && unit !== "byte" ? 1 : 0;
  return new Intl.NumberFormat("en-GB", { style: "unit", unit, maximumFractionDigits }).format(bytes / size);
}

const MAX_NAME_LENGTH = 70;

export function postName(post: Pick<PostRow, "title" | "excerpt" | "slug">): string {
  return post.title || excerpt(post.excerpt ?? "", MAX_NAME_LENGTH) || `Untitled (${post.slug})`;
}

export interface Times {
  /** "3 h ago", "in 12 min" or "12 Mar 2026", with the full time in the title attribute. */
  near(at: Date): Html;
  /** @returns a time such as "12 Mar 2026, 09:00" */
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

/** Creates the formatter on first use, because creating a formatter takes half a millisecond. */
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

export type PostState = "live" | "scheduled" | "draft" | "archived";

export function stateOf(post: Pick<PostRow, "status" | "publishedAt" | "deletedAt">, now: Date): PostState {
  if (post.status !== "published") return post.status;
  return isLive(post, now) ? "live" : "scheduled";
}

export function stateWords(
  post: Pick<PostRow, "status" | "publishedAt" | "deletedAt">,
  now: Date,
  times: Times,
): Html {
  const state = stateOf(post, now);
  const words: Record<PostState, Html> = {
    live: html`Published`,
    scheduled: html`Scheduled · ${post.publishedAt && times.near(post.publishedAt)}`,
    draft: html`Draft`,
    archived: html`Archived`,
  };
  return html`<span class="state ${state}">${words[state]}</span>`;
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
