import { isRange } from "./ip-ranges";
import { MEGABYTE, MINUTE, parseDuration } from "./units";

/** `name` is the name of the flag or environment variable. */
export interface Setting {
  name: string;
  value: string | undefined;
}

/** The program prints the message and exits with 2. */
export class SettingError extends Error {}

export function parseList({ value = "" }: Setting): string[] {
  return value
    .split(",")
    .map((item) => item.trim())
    .filter(Boolean);
}

/** @returns size in bytes; null if it is not set */
export function parseMegabytes({ name, value }: Setting): number | null {
  if (value === undefined) return null;
  if (!/^[1-9]\d{0,6}$/.test(value))
    throw new SettingError(`${name} is "${value}"; it must be a number of megabytes, like 512.`);
  return Number(value) * MEGABYTE;
}

export function parsePort({ name, value = "4000" }: Setting): number {
  const port = Number(value);
  if (!/^\d+$/.test(value) || port > 65_535)
    throw new SettingError(`${name} is "${value}"; it must be a port from 0 to 65535.`);
  return port;
}

/** @returns origin of the URL; null if it is not set */
export function parseBaseUrl({ name, value }: Setting): string | null {
  if (value === undefined) return null;
  const url = URL.parse(value);
  const isPlain = url && /^https?:$/.test(url.protocol) && url.pathname === "/" && !url.search && !url.hash;
  if (!isPlain || url.username || url.password)
    throw new SettingError(
      `${name} is "${value}"; it must be a URL like https://blog.example.com, without a path.`,
    );
  return url.origin;
}

export function parseIpRanges(setting: Setting): string[] {
  const ranges = parseList(setting);
  const wrong = ranges.find((range) => !isRange(range));
  if (wrong !== undefined)
    throw new SettingError(
      `${setting.name} contains "${wrong}"; it must be IP addresses and CIDR ranges, separated by commas.`,
    );
  return ranges;
}

export function parseOnOff({ name, value = "on" }: Setting): boolean {
  if (value !== "on" && value !== "off")
    throw new SettingError(`${name} is "${value}"; it must be on or off.`);
  return value === "on";
}

const LOG_FORMATS = ["text", "json"] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

export function parseLogFormat({ name, value = "text" }: Setting): LogFormat {
  const format = LOG_FORMATS.find((one) => one === value);
  if (!format) throw new SettingError(`${name} is "${value}"; it must be ${LOG_FORMATS.join(" or ")}.`);
  return format;
}

const MIN_TOKEN_LENGTH = 16;

/** The error does not show the value, because it is a secret. */
export function parseToken({ name, value }: Setting): string | null {
  if (value !== undefined && value.length < MIN_TOKEN_LENGTH)
    throw new SettingError(`${name} is too short; it must have at least ${MIN_TOKEN_LENGTH} characters.`);
  return value ?? null;
}

export interface Purge {
  readonly url: string;
  /** Request header, whose value is a secret. */
  readonly header: { name: string; value: string } | null;
}

/** The errors do not show the header, because it contains a secret. */
export function parsePurge(to: Setting, { name, value }: Setting): Purge | null {
  const [, header = "", text = ""] = /^([\w-]{1,100}): ?([\x20-\x7e]{1,4000})$/.exec(value ?? "") ?? [];
  if (value !== undefined && header === "")
    throw new SettingError(`${name} must be a header like "AccessKey: 1234".`);
  if (to.value === undefined && value !== undefined)
    throw new SettingError(`${name} has no effect without PLATEN_PURGE_URL.`);
  if (to.value === undefined) return null;
  if (!/^https?:$/.test(URL.parse(to.value)?.protocol ?? ""))
    throw new SettingError(`${to.name} is "${to.value}"; it must be an http or https URL.`);
  return { url: to.value, header: value === undefined ? null : { name: header, value: text } };
}

/** The delays apply to webhook deliveries and to CDN purges. */
export function parseWebhookRetry({ name, value = "5s,5m,30m,2h,5h,10h,14h,20h,24h" }: Setting): number[] {
  const durations = value.split(",").map((item) => parseDuration(item.trim()));
  if (durations.some((duration) => duration === null))
    throw new SettingError(`${name} is "${value}"; it must be durations like 5s, 30m, 2h or 1d.`);
  return durations as number[];
}

const MAX_WEBHOOK_TIMEOUT_MS = 10 * MINUTE;

export function parseWebhookTimeout({ name, value = "10s" }: Setting): number {
  const timeout = parseDuration(value);
  if (timeout === null || timeout > MAX_WEBHOOK_TIMEOUT_MS)
    throw new SettingError(`${name} is "${value}"; it must be one duration like 10s, at most 10m.`);
  return timeout;
}
