import { totalmem } from "node:os";
import { resolve } from "node:path";
import { parseCaFile, parseMailPerHour, parseRelay, type Relay } from "./mail-settings";
import {
  type BackupSchedule,
  oneOf,
  type Purge,
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
  SettingError,
} from "./setting-parsers";
import { DAY, MINUTE, parseMegabytes, SECOND } from "./units";

export interface Config {
  /** An absolute path. */
  readonly data: string;
  readonly host: string;
  /** 0 selects any free port. */
  readonly port: number;
  /** Public base URL without a trailing slash. */
  readonly url: string;
  /** IP addresses or CIDR ranges that may set X-Forwarded-*, in addition to loopback. */
  readonly trustProxy: string[];
  readonly forwardedHost: boolean;
  /** Private hosts, IP addresses or CIDR ranges that outgoing requests may reach (see `allowedHosts`). */
  readonly privateHosts: string[];
  /** In milliseconds. The delays also apply to CDN purges, and to channels without `retryDelaysMs`. */
  readonly webhookRetry: number[];
  /** In milliseconds. */
  readonly webhookTimeout: number;
  /** Delay between publishing a post and mailing it to subscribers, in milliseconds. */
  readonly newsletterDelay: number;
  /** PLATEN_MEMORY, or the memory of the container or machine, in bytes. */
  readonly memory: number;
  readonly backup: BackupSchedule | null;
  readonly log: "text" | "json";
  readonly metricsToken: string | null;
  readonly purge: Purge | null;
  /** Relay from the environment only. Use `getRelay`. */
  readonly relay: Relay | null;
  readonly relayCa: string | null;
  /** PLATEN_MAIL_PER_HOUR; null if unset. Use `mailPerHour`. */
  readonly mailPerHour: number | null;
}

/** Settings before the server knows its port. `url` is null if PLATEN_URL and --url are not set. */
export type Settings = Omit<Config, "url"> & { readonly url: string | null };

const WEBHOOK_RETRY_MS = parseDurations("5s,5m,30m,2h,5h,10h,14h,20h,24h") as number[];

/**
 * A flag overrides its environment variable.
 * @throws SettingError
 */
export function readSettings(
  flags: Record<string, string | undefined>,
  environment: Record<string, string | undefined>,
): Settings {
  const variable = (name: string) => ({ name, value: environment[name]?.trim() || undefined });
  const read = <Value>(name: string, rule: string, parse: (text: string) => Value | null) =>
    parseSetting(variable(name), rule, parse);
  const flagOr = (flag: string, name: string) => {
    if (flags[flag] === undefined) return variable(name);
    if (flags[flag] === "") throw new SettingError(`--${flag} is empty; give it a value or leave it out.`);
    return { name: `--${flag}`, value: flags[flag] };
  };
  return {
    data: resolve(flagOr("data", "PLATEN_DATA").value ?? "./data"),
    host: flagOr("host", "PLATEN_HOST").value ?? "127.0.0.1",
    port: parseSetting(flagOr("port", "PLATEN_PORT"), "a port from 0 to 65535", parsePort) ?? 4000,
    url: parseSetting(
      flagOr("url", "PLATEN_URL"),
      "a URL like https://blog.example.com, without a path",
      parseBaseUrl,
    ),
    trustProxy: parseIpRanges(flagOr("trust-proxy", "PLATEN_TRUST_PROXY")),
    forwardedHost: read("PLATEN_FORWARDED_HOST", "on or off", oneOf("on", "off")) !== "off",
    privateHosts: parseList(variable("PLATEN_PRIVATE_HOSTS").value),
    webhookRetry:
      read("PLATEN_WEBHOOK_RETRY", "durations like 5s, 30m, 2h or 1d", parseDurations) ?? WEBHOOK_RETRY_MS,
    webhookTimeout:
      read("PLATEN_WEBHOOK_TIMEOUT", "one duration like 10s, at most 10m", (text) =>
        parseDurationUpTo(10 * MINUTE, text),
      ) ?? 10 * SECOND,
    newsletterDelay:
      read("PLATEN_NEWSLETTER_DELAY", "one duration like 15m, at most 7d", (text) =>
        /^0[smhd]$/.test(text) ? 0 : parseDurationUpTo(7 * DAY, text),
      ) ?? 15 * MINUTE,
    memory:
      read("PLATEN_MEMORY", "a number of megabytes, like 512", parseMegabytes) ??
      (process.constrainedMemory() || totalmem()),
    backup: parseBackupSchedule(
      variable("PLATEN_BACKUP"),
      variable("PLATEN_BACKUP_EVERY"),
      variable("PLATEN_BACKUP_KEEP"),
    ),
    log: parseSetting(flagOr("log", "PLATEN_LOG"), "text or json", oneOf("text", "json")) ?? "text",
    metricsToken: parseToken(variable("PLATEN_METRICS_TOKEN")),
    purge: parsePurge(variable("PLATEN_PURGE_URL"), variable("PLATEN_PURGE_HEADER")),
    relay: parseRelay(
      variable("PLATEN_SMTP_URL"),
      variable("PLATEN_SMTP_PASSWORD_FILE"),
      variable("PLATEN_MAIL_FROM"),
    ),
    relayCa: parseCaFile(variable("PLATEN_SMTP_CA_FILE")),
    mailPerHour: read("PLATEN_MAIL_PER_HOUR", "a number of e-mails per hour, like 500", parseMailPerHour),
  };
}
