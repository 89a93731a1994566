import { resolve } from "node:path";
import { type Setting, SettingError } from "./setting-parsers";
import { parseDuration } from "./units";

export interface BackupSchedule {
  /** An absolute path, or s3://bucket/prefix without a trailing slash. */
  readonly to: string;
  /** In milliseconds. */
  readonly every: number;
  /** Such as "7d,4w,12m" (see `parseKeptBackups`). */
  readonly keep: string;
}

export function parseBackupSchedule(
  to: Setting,
  { name, value = "1d" }: Setting,
  keep: Setting,
): BackupSchedule | null {
  const place = to.value === undefined ? null : parseBackupPlace(to.value);
  if (to.value !== undefined && place === null)
    throw new SettingError(
      `${to.name} is "${to.value}"; it must be a folder or a URL like s3://bucket/blog.`,
    );
  const every = parseDuration(value);
  if (every === null) throw new SettingError(`${name} is "${value}"; it must be one duration like 1d or 6h.`);
  const retention = keep.value ?? "7d,4w,12m";
  if (parseKeptBackups(retention) === null)
    throw new SettingError(
      `${keep.name} is "${retention}"; it must be numbers of days, weeks and months like 7d,4w,12m.`,
    );
  return place === null ? null : { to: place, every, keep: retention };
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
