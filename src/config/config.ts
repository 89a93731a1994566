import { totalmem } from "node:os";
import { resolve } from "node:path";
import { type BackupSchedule, backupOf } from "./backup-settings";
import {
  isOn,
  type LogFormat,
  logOf,
  megabytesOf,
  type Purge,
  parseList,
  portOf,
  purgeOf,
  rangesOf,
  SettingError,
  timeoutOf,
  tokenOf,
  urlOf,
  waitsOf,
} from "./setting-values";

export interface Config {
  /** The data folder, absolute. */
  readonly data: string;
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Public base address without a trailing slash; permalinks, feeds and attachment addresses begin with it. */
  readonly url: string;
  /** Peers that may set X-Forwarded-*: addresses or CIDR ranges, besides loopback. */
  readonly trustProxy: string[];
  /** Whether X-Forwarded-Host of a trusted peer counts; false: `Host` alone. */
  readonly forwardedHost: boolean;
  /** Hosts, addresses or CIDR ranges that outgoing requests may reach although they are private. */
  readonly privateHosts: string[];
  /** Waits between the attempts of one webhook delivery, in milliseconds. */
  readonly webhookRetry: number[];
  /** In milliseconds. */
  readonly webhookTimeout: number;
  /** What the machine or container has, in bytes: pictures are decoded within it. */
  readonly memory: number;
  /** What sizes of pictures in a bucket may take in the folder, in bytes; null: a part of the disk. */
  readonly keptSizes: number | null;
  /** Backups that the server makes by itself; null where it makes none. */
  readonly backup: BackupSchedule | null;
  /** As lines for people, or each as a JSON object. */
  readonly log: LogFormat;
  /** What a monitor elsewhere presents to read /metrics; null where none may. */
  readonly metricsToken: string | null;
  /** Who is told when pages change, so that they may be kept until then; null: nobody. */
  readonly purge: Purge | null;
}

/** The settings before the server has its port: `url` is null where none was given. */
export type Settings = Omit<Config, "url"> & { readonly url: string | null };

/**
 * Reads the settings of contract.md 1. A flag wins over its environment variable.
 * @throws SettingError naming the setting and what is wrong with it
 */
export function readSettings(
  flags: Record<string, string | undefined>,
  environment: Record<string, string | undefined>,
): Settings {
  const given = (flag: string | null, variable: string) => {
    if (flag !== null && flags[flag] !== undefined) {
      if (flags[flag] === "") throw new SettingError(`--${flag} is empty; give it a value or leave it out.`);
      return { name: `--${flag}`, value: flags[flag] };
    }
    return { name: variable, value: environment[variable]?.trim() || undefined };
  };
  return {
    data: resolve(given("data", "PLATEN_DATA").value ?? "./data"),
    host: given("host", "PLATEN_HOST").value ?? "127.0.0.1",
    port: portOf(given("port", "PLATEN_PORT")),
    url: urlOf(given("url", "PLATEN_URL")),
    trustProxy: rangesOf(given("trust-proxy", "PLATEN_TRUST_PROXY")),
    forwardedHost: isOn(given(null, "PLATEN_FORWARDED_HOST")),
    privateHosts: parseList(given(null, "PLATEN_PRIVATE_HOSTS")),
    webhookRetry: waitsOf(given(null, "PLATEN_WEBHOOK_RETRY")),
    webhookTimeout: timeoutOf(given(null, "PLATEN_WEBHOOK_TIMEOUT")),
    memory: megabytesOf(given(null, "PLATEN_MEMORY")) ?? (process.constrainedMemory() || totalmem()),
    keptSizes: megabytesOf(given(null, "PLATEN_MEDIA_SIZES")),
    backup: backupOf(
      given(null, "PLATEN_BACKUP"),
      given(null, "PLATEN_BACKUP_EVERY"),
      given(null, "PLATEN_BACKUP_KEEP"),
    ),
    log: logOf(given("log", "PLATEN_LOG")),
    metricsToken: tokenOf(given(null, "PLATEN_METRICS_TOKEN")),
    purge: purgeOf(given(null, "PLATEN_PURGE_URL"), given(null, "PLATEN_PURGE_HEADER")),
  };
}
