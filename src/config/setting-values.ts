import { parseDuration } from "./durations";
import { isRange } from "./ip-ranges";
import { MEGABYTE, MINUTE } from "./units";

/** What was given for a setting, by the name of its flag or variable. */
export interface Given {
  name: string;
  value: string | undefined;
}

/** A setting that cannot be used: the program stops with exit 2 and this one line. */
export class SettingError extends Error {}

export function parseList({ value = "" }: Given): string[] {
  return value
    .split(",")
    .map((item) => item.trim())
    .filter(Boolean);
}

/** In bytes. */
export function megabytesOf({ name, value }: Given): number | null {
  if (value === undefined) return null;
  if (!/^[1-9]\d{0,6}$/.test(value))
    throw new SettingError(`${name} is "${value}"; it must be a number of megabytes, like 512.`);
  return Number(value) * MEGABYTE;
}

export function portOf({ name, value = "4000" }: Given): number {
  const port = Number(value);
  if (!/^\d+$/.test(value) || port > 65_535)
    throw new SettingError(`${name} is "${value}"; it must be a port from 0 to 65535.`);
  return port;
}

export function urlOf({ name, value }: Given): string | null {
  if (value === undefined) return null;
  const url = URL.parse(value);
  const isPlain = url && /^https?:$/.test(url.protocol) && url.pathname === "/" && !url.search && !url.hash;
  if (!isPlain || url.username || url.password)
    throw new SettingError(
      `${name} is "${value}"; it must be an address like https://blog.example.com, without a path.`,
    );
  return url.origin;
}

export function rangesOf(given: Given): string[] {
  const ranges = parseList(given);
  const wrong = ranges.find((range) => !isRange(range));
  if (wrong !== undefined)
    throw new SettingError(
      `${given.name} holds "${wrong}"; it takes addresses and CIDR ranges, between commas.`,
    );
  return ranges;
}

export function isOn({ name, value = "on" }: Given): boolean {
  if (value !== "on" && value !== "off")
    throw new SettingError(`${name} is "${value}"; it must be on or off.`);
  return value === "on";
}

const LOG_FORMATS = ["text", "json"] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/** In characters: no guessing. */
const SHORTEST_TOKEN = 16;

export function logOf({ name, value = "text" }: Given): LogFormat {
  const format = LOG_FORMATS.find((one) => one === value);
  if (!format) throw new SettingError(`${name} is "${value}"; it must be ${LOG_FORMATS.join(" or ")}.`);
  return format;
}

/** Its value is a secret, and told nowhere. */
export function tokenOf({ name, value }: Given): string | null {
  if (value !== undefined && value.length < SHORTEST_TOKEN)
    throw new SettingError(`${name} is too short to be a secret; it must have ${SHORTEST_TOKEN} characters.`);
  return value ?? null;
}

export interface Purge {
  /** Of http or https. */
  readonly url: string;
  /** By which the other side knows us: a secret. */
  readonly header: { name: string; value: string } | null;
}

/** The header is told nowhere, for its value is a secret. */
export function purgeOf(to: Given, { name, value }: Given): Purge | null {
  const [, header = "", text = ""] = /^([\w-]{1,100}): ?([\x20-\x7e]{1,4000})$/.exec(value ?? "") ?? [];
  if (value !== undefined && header === "")
    throw new SettingError(`${name} must be a header like "AccessKey: 1234", its name before the colon.`);
  if (to.value === undefined && value !== undefined)
    throw new SettingError(`${name} is of no use without PLATEN_PURGE_URL.`);
  if (to.value === undefined) return null;
  if (!/^https?:$/.test(URL.parse(to.value)?.protocol ?? ""))
    throw new SettingError(`${to.name} is "${to.value}"; it must be an address of http or https.`);
  return { url: to.value, header: value === undefined ? null : { name: header, value: text } };
}

const LONGEST_TIMEOUT = 10 * MINUTE;

/** The waits between attempts. */
export function waitsOf({ name, value = "5s,5m,30m,2h,5h,10h,14h,20h,24h" }: Given): number[] {
  const durations = value.split(",").map((item) => parseDuration(item.trim()));
  if (durations.some((duration) => duration === null))
    throw new SettingError(`${name} is "${value}"; it must be durations like 5s, 30m, 2h or 1d.`);
  return durations as number[];
}

export function timeoutOf({ name, value = "10s" }: Given): number {
  const timeout = parseDuration(value);
  if (timeout === null || timeout > LONGEST_TIMEOUT)
    throw new SettingError(`${name} is "${value}"; it must be one duration like 10s, at most 10m.`);
  return timeout;
}
