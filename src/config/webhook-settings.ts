import { type Setting, SettingError } from "./setting-parsers";
import { MINUTE, parseDuration } from "./units";

/** The delays also apply to CDN purges, and to channels without `retryDelaysMs`. */
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
