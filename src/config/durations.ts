import { DAY, HOUR, MINUTE, SECOND } from "./units";

const UNITS: Record<string, number> = { s: SECOND, m: MINUTE, h: HOUR, d: DAY };

/** Milliseconds as `parseDuration` reads them: 120000 → "2m"; in the largest unit without a fraction. */
export function durationText(duration: number): string {
  const [name, unit] = Object.entries(UNITS).findLast(([, size]) => duration % size === 0) ?? ["s", SECOND];
  return `${duration / unit}${name}`;
}

/** "30m" → milliseconds; null where it is no number and unit (s, m, h, d) or is nothing at all. */
export function parseDuration(text: string): number | null {
  const match = /^(\d{1,9})([smhd])$/.exec(text);
  const duration = match ? Number(match[1]) * (UNITS[match[2] as string] as number) : 0;
  return duration > 0 ? duration : null;
}
