import { resolve } from "node:path";
import { parseSetting, type Setting } from "./setting-parsers";
import { DAY, parseDuration } from "./units";

export interface BackupSchedule {
  /** An absolute path, or s3://bucket/prefix without a trailing slash. */
  readonly to: string;
  /** In milliseconds. */
  readonly every: number;
  /** Such as "7d,4w,12m" (see `parseKeptBackups`). */
  readonly keep: string;
}

export function parseBackupSchedule(place: Setting, interval: Setting, retention: Setting) {
  const to = parseSetting(place, "a folder or a URL like s3://bucket/blog", parseBackupPlace);
  const every = parseSetting(interval, "one duration like 1d or 6h", parseDuration) ?? DAY;
  parseSetting(retention, "numbers of days, weeks and months like 7d,4w,12m", parseKeptBackups);
  return to === null ? null : { to, every, keep: retention.value ?? "7d,4w,12m" };
}

export function parseBackupPlace(text: string): string | null {
  if (!/^[a-z0-9]+:\/\//i.test(text)) return text === "" ? null : resolve(text);
  const [bucket = "", ...prefix] = text.slice("s3://".length).replace(/\/$/, "").split("/");
  const isPlain = text.startsWith("s3://") && /^[a-z0-9][a-z0-9.-]*$/.test(bucket);
  return isPlain && prefix.every((name) => /^[\w.-]+$/.test(name))
    ? `s3://${[bucket, ...prefix].join("/")}`
    : null;
}

/** `{ d: 7 }` keeps one backup of each of the last 7 days that have a backup; w and m: weeks and months. */
export type KeptBackups = Partial<Record<"d" | "w" | "m", number>>;

/** @returns null if the text is invalid or a unit repeats */
export function parseKeptBackups(text: string): KeptBackups | null {
  const counts = new Map<string, number>();
  for (const item of text.split(",")) {
    const [, number, unit = ""] = /^([1-9]\d{0,3})([dwm])$/.exec(item.trim()) ?? [];
    if (number === undefined || counts.has(unit)) return null;
    counts.set(unit, Number(number));
  }
  return Object.fromEntries(counts);
}
