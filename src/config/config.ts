import { totalmem } from "node:os";
import { resolve } from "node:path";
import { parseCaFile, parseMailPerHour, parseRelay } from "./mail-settings";
import {
  oneOf,
  parseBackupSchedule,
  parseBaseUrl,
  parseDurations,
  parseDurationUpTo,
  parseIpRanges,
  parseList,
  parsePort,
  parsePurge,
  parseSetting,
  parseToken,
  type Setting,
  SettingError,
} from "./setting-parsers";
import { DAY, MINUTE, parseMegabytes, SECOND } from "./units";

/** Settings before the server knows its port. */
export type Settings = Readonly<ReturnType<typeof readSettings>>;

/** `url` has no trailing slash. */
export type Config = Omit<Settings, "url"> & { readonly url: string };

const WEBHOOK_RETRY_MS = parseDurations("5s,5m,30m,2h,5h,10h,14h,20h,24h") as number[];

/**
 * A flag overrides its environment variable. Durations are in milliseconds, sizes in bytes.
 * @throws SettingError
 */
export function readSettings(
  flags: Record<string, string | undefined>,
  environment: Record<string, string | undefined>,
) {
  const setting = (name: string, flag = ""): Setting => {
    if (flags[flag] === undefined) return { name, value: environment[name]?.trim() || undefined };
    if (flags[flag] === "") throw new SettingError(`--${flag} is empty; give it a value or leave it out.`);
    return { name: `--${flag}`, value: flags[flag] };
  };
  const read = <Value>(name: string, rule: string, parse: (text: string) => Value | null, flag?: string) =>
    parseSetting(setting(name, flag), rule, parse);
  return {
    /** An absolute path. */
    data: resolve(setting("PLATEN_DATA", "data").value ?? "./data"),
    host: setting("PLATEN_HOST", "host").value ?? "127.0.0.1",
    /** 0 selects any free port. */
    port: read("PLATEN_PORT", "a port from 0 to 65535", parsePort, "port") ?? 4000,
    /** Public base URL; null if unset. */
    url: read("PLATEN_URL", "a URL like https://blog.example.com, without a path", parseBaseUrl, "url"),
    /** IP addresses or CIDR ranges that may set X-Forwarded-*, in addition to loopback. */
    trustProxy: parseIpRanges(setting("PLATEN_TRUST_PROXY", "trust-proxy")),
    forwardedHost: read("PLATEN_FORWARDED_HOST", "on or off", oneOf("on", "off")) !== "off",
    /** Private hosts, IP addresses or CIDR ranges that outgoing requests may reach (see `allowedHosts`). */
    privateHosts: parseList(setting("PLATEN_PRIVATE_HOSTS").value),
    /** The delays also apply to CDN purges, and to channels without `retryDelaysMs`. */
    webhookRetry:
      read("PLATEN_WEBHOOK_RETRY", "durations like 5s, 30m, 2h or 1d", parseDurations) ?? WEBHOOK_RETRY_MS,
    webhookTimeout:
      read("PLATEN_WEBHOOK_TIMEOUT", "one duration like 10s, at most 10m", (text) =>
        parseDurationUpTo(10 * MINUTE, text),
      ) ?? 10 * SECOND,
    /** Delay between publishing a post and mailing it to subscribers. */
    newsletterDelay:
      read("PLATEN_NEWSLETTER_DELAY", "one duration like 15m, at most 7d", (text) =>
        /^0[smhd]$/.test(text) ? 0 : parseDurationUpTo(7 * DAY, text),
      ) ?? 15 * MINUTE,
    /** PLATEN_MEMORY, or the memory of the container or machine. */
    memory:
      read("PLATEN_MEMORY", "a number of megabytes, like 512", parseMegabytes) ??
      (process.constrainedMemory() || totalmem()),
    backup: parseBackupSchedule(
      setting("PLATEN_BACKUP"),
      setting("PLATEN_BACKUP_EVERY"),
      setting("PLATEN_BACKUP_KEEP"),
    ),
    log: read("PLATEN_LOG", "text or json", oneOf("text", "json"), "log") ?? "text",
    metricsToken: parseToken(setting("PLATEN_METRICS_TOKEN")),
    purge: parsePurge(setting("PLATEN_PURGE_URL"), setting("PLATEN_PURGE_HEADER")),
    /** Relay from the environment only. Use `getRelay`. */
    relay: parseRelay(
      setting("PLATEN_SMTP_URL"),
      setting("PLATEN_SMTP_PASSWORD_FILE"),
      setting("PLATEN_MAIL_FROM"),
    ),
    relayCa: parseCaFile(setting("PLATEN_SMTP_CA_FILE")),
    /** null if unset. Use `mailPerHour`. */
    mailPerHour: read("PLATEN_MAIL_PER_HOUR", "a number of e-mails per hour, like 500", parseMailPerHour),
  };
}
