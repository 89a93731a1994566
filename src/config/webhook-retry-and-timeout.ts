import { parseDuration } from "./durations";
import { type Given, SettingFault } from "./given";
import { MINUTE } from "./units";

const LONGEST_TIMEOUT = 10 * MINUTE;

/** The waits between attempts. */
export function waitsOf({ name, value = "5s,5m,30m,2h,5h,10h,14h,20h,24h" }: Given): number[] {
  const durations = value.split(",").map((item) => parseDuration(item.trim()));
  if (durations.some((duration) => duration === null))
    throw new SettingFault(`${name} is "${value}"; it must be durations like 5s, 30m, 2h or 1d.`);
  return durations as number[];
}

export function timeoutOf({ name, value = "10s" }: Given): number {
  const timeout = parseDuration(value);
  if (timeout === null || timeout > LONGEST_TIMEOUT)
    throw new SettingFault(`${name} is "${value}"; it must be one duration like 10s, at most 10m.`);
  return timeout;
}
