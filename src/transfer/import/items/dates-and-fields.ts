import { instantOf } from "../../../blogs/time-zone";
import type { PostRow } from "../../../posts/post/post";
import { isObject } from "../../../text/json";

export type Fields = Record<string, unknown>;

/** The first of these fields that is not empty; "" if all are empty, or if it is no text or number. */
export function textField(fields: Fields, ...names: string[]): string {
  const value = names
    .map((name) => fields[name])
    .find((one) => one !== undefined && one !== null && one !== "");
  return typeof value === "string" || typeof value === "number" ? String(value).trim() : "";
}

/** Reads a list, or a text separated by commas; without commas, by line breaks or (with `spaces`) by white space. */
export function textListField(fields: Fields, names: string[], { spaces = false } = {}): string[] {
  return names.flatMap((name) => textsIn(fields[name], spaces));
}

function textsIn(value: unknown, spaces: boolean): string[] {
  const separator = spaces ? /\s+/ : "\n";
  const list =
    typeof value === "string" ? value.split(value.includes(",") ? "," : separator) : [value].flat();
  return list
    .map((one) => (isObject(one) ? (one.name ?? one.title) : one))
    .filter((one) => typeof one === "string" || typeof one === "number")
    .map((one) => String(one).trim())
    .filter(Boolean);
}

export const isYes = (value: unknown) => typeof value !== "object" && /^(?:true|yes|1)$/i.test(String(value));
export const isNo = (value: unknown) => typeof value !== "object" && /^(?:false|no|0)$/i.test(String(value));

const MAX_DATE_LENGTH = 100;

/**
 * @param zone time zone of numeric dates without an offset
 * @returns null if invalid
 */
export function parseDate(value: unknown, zone = "UTC"): Date | null {
  // TOML's dates are Temporal objects. Others may not be convertible, such as { "toString": 1 } in JSON.
  const isTemporal = Object.prototype.toString.call(value).startsWith("[object Temporal.");
  const text = isTemporal ? String(value) : value;
  if (typeof text === "number") return dateInRange(text > 1e11 ? text : text * 1000);
  if (typeof text !== "string" || text.length > MAX_DATE_LENGTH) return null;
  const plain = text
    .trim()
    .replace(/ ?(?:UTC|GMT)$/, "Z")
    .replace(/ ([+-]\d\d:?\d\d)$/, "$1")
    .replace(/^(\d{4})[/.](\d\d?)[/.](\d\d?)/, "$1-$2-$3")
    .replace(/^(\d{4})-(\d)(?!\d)/, "$1-0$2")
    .replace(/^(\d{4}-\d\d)-(\d)(?!\d)/, "$1-0$2");
  return instantOf(plain, zone) ?? parseWrittenDate(plain);
}

function parseWrittenDate(text: string): Date | null {
  if (!/[a-z]{3}/i.test(text) || !/\d{4}/.test(text)) return null;
  const hasZone = /(?:Z|[+-]\d\d:?\d\d|[A-Z]{3,4})$/.test(text);
  return dateInRange(Date.parse(hasZone ? text : `${text} UTC`));
}

function dateInRange(milliseconds: number): Date | null {
  const time = new Date(milliseconds);
  const year = Number.isNaN(time.getTime()) ? 0 : time.getUTCFullYear();
  return year > 0 && year < 10_000 ? time : null;
}

export const textOrEmpty = (value: unknown): string => (typeof value === "string" ? value : "");
export const textOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null);

/** Unlike `textListField`, does not split a text or trim names. */
export const textList = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one !== "object").map(String) : [];

export function textsByName(value: unknown): Record<string, string> {
  const fields = Object.entries(isObject(value) ? value : {});
  return Object.fromEntries(fields.map(([name, one]) => [name, typeof one === "object" ? "" : String(one)]));
}

export function listsByName(value: unknown): Record<string, unknown[]> {
  const fields = Object.entries(isObject(value) ? value : {});
  return Object.fromEntries(fields.filter((field): field is [string, unknown[]] => Array.isArray(field[1])));
}

export function parseStatus({ status }: Fields): PostRow["status"] {
  return status === "published" || status === "archived" ? status : "draft";
}

/** Name in exports → name in the database. */
const FLAGS = {
  pinned: "pinned",
  hidden: "hidden",
  hide_in_rss: "hideInRss",
  no_index_no_follow: "noIndexNoFollow",
  show_contact_form: "showContactForm",
  komments_disabled: "kommentsDisabled",
  skip_archive: "skipArchive",
} as const;

type Flags = Record<(typeof FLAGS)[keyof typeof FLAGS], boolean>;

export function exportFlags(post: Partial<Flags>): Record<string, true> {
  const set = Object.entries(FLAGS).filter(([, flag]) => post[flag]);
  return Object.fromEntries(set.map(([name]) => [name, true]));
}

export function parseFlags(line: Fields): Flags {
  const flags = Object.entries(FLAGS).map(([name, flag]) => [flag, line[name] === true]);
  return Object.fromEntries(flags) as Flags;
}
