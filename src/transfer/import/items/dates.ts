import { instantOf } from "../../../blogs/time-zone";

/** In characters. */
const LONGEST = 100;

/** A time as programs and people write it; null where it is none. @param zone for what says no offset of its own */
export function timeIn(value: unknown, zone: string): Date | null {
  // What TOML's times become has milliseconds, or says itself what it is.
  const text = typeof value === "object" && value !== null ? String(value) : value;
  if (typeof text === "number") return soundTime(text > 1e11 ? text : text * 1000);
  if (typeof text !== "string" || text.length > LONGEST) return null;
  const plain = text
    .trim()
    .replace(/ ?(?:UTC|GMT)$/, "Z")
    .replace(/ ([+-]\d\d:?\d\d)$/, "$1")
    .replace(/^(\d{4})[/.](\d\d?)[/.](\d\d?)/, "$1-$2-$3")
    .replace(/^(\d{4})-(\d)(?!\d)/, "$1-0$2")
    .replace(/^(\d{4}-\d\d)-(\d)(?!\d)/, "$1-0$2");
  return instantOf(plain, zone) ?? inWords(plain);
}

/** "Thu, 02 Jan 2013 10:00:00 GMT", "January 2, 2013": without an offset it is UTC. */
function inWords(text: string): Date | null {
  if (!/[a-z]{3}/i.test(text) || !/\d{4}/.test(text)) return null;
  const hasZone = /(?:Z|[+-]\d\d:?\d\d|[A-Z]{3,4})$/.test(text);
  return soundTime(Date.parse(hasZone ? text : `${text} UTC`));
}

function soundTime(milliseconds: number): Date | null {
  const time = new Date(milliseconds);
  const year = Number.isNaN(time.getTime()) ? 0 : time.getUTCFullYear();
  return year > 0 && year < 10_000 ? time : null;
}
