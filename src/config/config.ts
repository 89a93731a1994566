import { totalmem } from "node:os";
import { resolve } from "node:path";
import { type BackupSchedule, parseBackupSchedule } from "./backup-settings";
import { type Purge, parsePurge } from "./cdn-settings";
import { parseCaFile, parseMailPerHour, parseNewsletterDelay, parseRelay, type Relay } from "./mail-settings";
import {
  type LogFormat,
  parseBaseUrl,
  parseIpRanges,
  parseList,
  parseLogFormat,
  parseMemory,
  parseOnOff,
  parsePort,
  parseToken,
  SettingError,
} from "./setting-parsers";
import { parseWebhookRetry, parseWebhookTimeout } from "./webhook-settings";

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
  /** In milliseconds (see `parseWebhookRetry`). */
  readonly webhookRetry: number[];
  /** In milliseconds. */
  readonly webhookTimeout: number;
  /** Delay between publishing a post and mailing it to subscribers, in milliseconds. */
  readonly newsletterDelay: number;
  /** PLATEN_MEMORY, or the memory of the container or machine, in bytes. */
  readonly memory: number;
  readonly backup: BackupSchedule | null;
  readonly log: LogFormat;
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

/**
 * A flag overrides its environment variable.
 * @throws SettingError
 */
export function readSettings(
  flags: Record<string, string | undefined>,
  environment: Record<string, string | undefined>,
): Settings {
  const variable = (name: string) => ({ name, value: environment[name]?.trim() || undefined });
  const flagOr = (flag: string, name: string) => {
    if (flags[flag] === undefined) return variable(name);
    if (flags[flag] === "") throw new SettingError(`--${flag} is empty; give it a value or leave it out.`);
    return { name: `--${flag}`, value: flags[flag] };
  };
  return {
    data: resolve(flagOr("data", "PLATEN_DATA").value ?? "./data"),
    host: flagOr("host", "PLATEN_HOST").value ?? "127.0.0.1",
    port: parsePort(flagOr("port", "PLATEN_PORT")),
    url: parseBaseUrl(flagOr("url", "PLATEN_URL")),
    trustProxy: parseIpRanges(flagOr("trust-proxy", "PLATEN_TRUST_PROXY")),
    forwardedHost: parseOnOff(variable("PLATEN_FORWARDED_HOST")),
    privateHosts: parseList(variable("PLATEN_PRIVATE_HOSTS")),
    webhookRetry: parseWebhookRetry(variable("PLATEN_WEBHOOK_RETRY")),
    webhookTimeout: parseWebhookTimeout(variable("PLATEN_WEBHOOK_TIMEOUT")),
    newsletterDelay: parseNewsletterDelay(variable("PLATEN_NEWSLETTER_DELAY")),
    memory: parseMemory(variable("PLATEN_MEMORY")) ?? (process.constrainedMemory() || totalmem()),
    backup: parseBackupSchedule(
      variable("PLATEN_BACKUP"),
      variable("PLATEN_BACKUP_EVERY"),
      variable("PLATEN_BACKUP_KEEP"),
    ),
    log: parseLogFormat(flagOr("log", "PLATEN_LOG")),
    metricsToken: parseToken(variable("PLATEN_METRICS_TOKEN")),
    purge: parsePurge(variable("PLATEN_PURGE_URL"), variable("PLATEN_PURGE_HEADER")),
    relay: parseRelay(
      variable("PLATEN_SMTP_URL"),
      variable("PLATEN_SMTP_PASSWORD_FILE"),
      variable("PLATEN_MAIL_FROM"),
    ),
    relayCa: parseCaFile(variable("PLATEN_SMTP_CA_FILE")),
    mailPerHour: parseMailPerHour(variable("PLATEN_MAIL_PER_HOUR")),
  };
}
