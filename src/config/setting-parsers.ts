import { isRange } from "./ip-ranges";
import { parseMegabytes } from "./units";

/** `name` is a flag or an environment variable. */
export interface Setting {
  name: string;
  value: string | undefined;
}

export class SettingError extends Error {}

export function parseList({ value = "" }: Setting): string[] {
  return value
    .split(",")
    .map((item) => item.trim())
    .filter(Boolean);
}

/** @returns bytes */
export function parseMemory({ name, value }: Setting): number | null {
  if (value === undefined) return null;
  const bytes = parseMegabytes(value);
  if (bytes === null)
    throw new SettingError(`${name} is "${value}"; it must be a number of megabytes, like 512.`);
  return bytes;
}

export function parsePort({ name, value = "4000" }: Setting): number {
  const port = Number(value);
  if (!/^\d+$/.test(value) || port > 65_535)
    throw new SettingError(`${name} is "${value}"; it must be a port from 0 to 65535.`);
  return port;
}

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
