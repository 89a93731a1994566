/** Durations in milliseconds. */
export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Sizes in bytes. */
export const KILOBYTE = 1024;
export const MEGABYTE = 1024 * KILOBYTE;
export const GIGABYTE = 1024 * MEGABYTE;

const UNITS: Record<string, number> = { s: SECOND, m: MINUTE, h: HOUR, d: DAY };

/** Formats milliseconds for `parseDuration`, in the largest unit that divides them: 120000 → "2m". */
export function durationText(duration: number): string {
  const [name, unit] = Object.entries(UNITS).findLast(([, size]) => duration % size === 0) ?? ["s", SECOND];
  return `${duration / unit}${name}`;
}

/** @returns bytes; null unless the text is a whole number from 1 to 9999999 */
export function parseMegabytes(text: string): number | null {
  return /^[1-9]\d{0,6}$/.test(text) ? Number(text) * MEGABYTE : null;
}

/** @returns milliseconds; null unless the text is a whole number above 0 and one unit: s, m, h or d */
export function parseDuration(text: string): number | null {
  const match = /^(\d{1,9})([smhd])$/.exec(text);
  const duration = match ? Number(match[1]) * (UNITS[match[2] as string] as number) : 0;
  return duration > 0 ? duration : null;
}
