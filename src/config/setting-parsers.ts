import { isRange } from "./ip-ranges";
import { parseDuration } from "./units";

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
