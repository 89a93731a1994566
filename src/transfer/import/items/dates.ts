import { instantOf } from "../../../blogs/time-zone";

const MAX_LENGTH = 100;

/**
 * @param zone time zone of numeric dates without an offset
 * @returns null if invalid
 */
export function parseDate(value: unknown, zone: string): Date | null {
  // TOML's dates are Temporal objects. Others may not be convertible, such as { "toString": 1 } in JSON.
  const isTemporal = Object.prototype.toString.call(value).startsWith("[object Temporal.");
  const text = isTemporal ? String(value) : value;
  if (typeof text === "number") return dateInRange(text > 1e11 ? text : text * 1000);
  if (typeof text !== "string" || text.length > MAX_LENGTH) return null;
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
