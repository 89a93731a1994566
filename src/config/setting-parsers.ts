import { resolve } from "node:path";
import { isRange } from "./ip-ranges";
import { DAY, parseDuration } from "./units";

/** `name` is a flag or an environment variable. */
export interface Setting {
  name: string;
  value: string | undefined;
}

export class SettingError extends Error {}

/**
 * @param rule what the value must be
 * @param parse returns null if the text is invalid
 * @returns null if the setting has no value
 */
export function parseSetting<Value>(
  { name, value }: Setting,
  rule: string,
  parse: (text: string) => Value | null,
): Value | null {
  const parsed = value === undefined ? null : parse(value);
  if (value !== undefined && parsed === null)
    throw new SettingError(`${name} is "${value}"; it must be ${rule}.`);
  return parsed;
}

export function parseList(text = ""): string[] {
  return text
    .split(",")
    .map((item) => item.trim())
    .filter(Boolean);
}

export function parsePort(text: string): number | null {
  return /^\d+$/.test(text) && Number(text) <= 65_535 ? Number(text) : null;
}

export function parseBaseUrl(text: string): string | null {
  const url = URL.parse(text);
  const isPlain = url && /^https?:$/.test(url.protocol) && url.pathname === "/" && !url.search && !url.hash;
  return isPlain && !url.username && !url.password ? url.origin : null;
}

export function parseIpRanges({ name, value }: Setting): string[] {
  const ranges = parseList(value);
  const wrong = ranges.find((range) => !isRange(range));
  if (wrong !== undefined)
    throw new SettingError(
      `${name} contains "${wrong}"; it must be IP addresses and CIDR ranges, separated by commas.`,
    );
  return ranges;
}

export const oneOf =
  <Choice extends string>(...choices: Choice[]) =>
  (text: string): Choice | null =>
    choices.find((choice) => choice === text) ?? null;

export function parseDurations(text: string): number[] | null {
  const durations = text.split(",").map((item) => parseDuration(item.trim()));
  return durations.includes(null) ? null : (durations as number[]);
}

export function parseDurationUpTo(max: number, text: string): number | null {
  const duration = parseDuration(text);
  return duration !== null && duration <= max ? duration : null;
}

const MIN_TOKEN_LENGTH = 16;

/** The error does not show the value, because it is a secret. */
export function parseToken({ name, value }: Setting): string | null {
  if (value !== undefined && value.length < MIN_TOKEN_LENGTH)
    throw new SettingError(`${name} is too short; it must have at least ${MIN_TOKEN_LENGTH} characters.`);
  return value ?? null;
}

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

export interface Purge {
  readonly url: string;
  /** The value is a secret. */
  readonly header: { name: string; value: string } | null;
}

/** Errors do not show the header, because its value is a secret. */
export function parsePurge(to: Setting, { name, value }: Setting): Purge | null {
  const [, header = "", text = ""] = /^([\w-]{1,100}): ?([\x20-\x7e]{1,4000})$/.exec(value ?? "") ?? [];
  if (value !== undefined && header === "")
    throw new SettingError(`${name} must be a header like "AccessKey: 1234".`);
  const isHttp = (url: string) => /^https?:$/.test(URL.parse(url)?.protocol ?? "");
  const url = parseSetting(to, "an http or https URL", (typed) => (isHttp(typed) ? typed : null));
  if (url === null && value !== undefined)
    throw new SettingError(`${name} has no effect without PLATEN_PURGE_URL.`);
  return url === null ? null : { url, header: value === undefined ? null : { name: header, value: text } };
}
