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

/** Formats milliseconds for `parseDuration`, in the largest whole unit: 120000 → "2m". */
export function durationText(duration: number): string {
  const [name, unit] = Object.entries(UNITS).findLast(([, size]) => duration % size === 0) ?? ["s", SECOND];
  return `${duration / unit}${name}`;
}

/** Returns bytes; null unless the text is a number of megabytes. */
export function parseMegabytes(text: string): number | null {
  return /^[1-9]\d{0,6}$/.test(text) ? Number(text) * MEGABYTE : null;
}

/** Returns milliseconds; null unless the text is a positive number and a unit (s, m, h, d). */
export function parseDuration(text: string): number | null {
  const match = /^(\d{1,9})([smhd])$/.exec(text);
  const duration = match ? Number(match[1]) * (UNITS[match[2] as string] as number) : 0;
  return duration > 0 ? duration : null;
}
