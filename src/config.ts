import { totalmem } from "node:os";
import { resolve } from "node:path";
import { isRange } from "./ip-ranges";

const MEGABYTE = 1_048_576;
const SECOND = 1000;
const LONGEST_TIMEOUT = 600 * SECOND;
const UNITS: Record<string, number> = { s: SECOND, m: 60 * SECOND, h: 3600 * SECOND, d: 86_400 * SECOND };

const LOG_FORMATS = ["text", "json"] as const;
/** In characters: no guessing. */
const SHORTEST_TOKEN = 16;

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
  readonly log: (typeof LOG_FORMATS)[number];
  /** What a monitor elsewhere presents to read /metrics; null where none may. */
  readonly metricsToken: string | null;
  /** Who is told when pages change, so that they may be kept until then; null: nobody. */
  readonly purge: Purge | null;
}

export interface Purge {
  /** Of http or https. */
  readonly url: string;
  /** By which the other side knows us: a secret. */
  readonly header: { name: string; value: string } | null;
}

export interface BackupSchedule {
  /** As `parseBackupPlace` gives it. */
  readonly to: string;
  /** In milliseconds. */
  readonly every: number;
  /** For `parseKeptBackups`. */
  readonly keep: string;
}

/** The settings before the server has its port: `url` is null where none was given. */
export type Settings = Omit<Config, "url"> & { readonly url: string | null };

/** A setting that cannot be used: the program stops with exit 2 and this one line. */
export class SettingFault extends Error {}

/**
 * Reads the settings of contract.md 1. A flag wins over its environment variable.
 * @throws SettingFault naming the setting and what is wrong with it
 */
export function readSettings(
  flags: Record<string, string | undefined>,
  environment: Record<string, string | undefined>,
): Settings {
  const given = (flag: string | null, variable: string) => {
    if (flag !== null && flags[flag] !== undefined) {
      if (flags[flag] === "") throw new SettingFault(`--${flag} is empty; give it a value or leave it out.`);
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
    privateHosts: listOf(given(null, "PLATEN_PRIVATE_HOSTS")),
    webhookRetry: durationsOf(given(null, "PLATEN_WEBHOOK_RETRY"), "5s,5m,30m,2h,5h,10h,14h,20h,24h"),
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

interface Given {
  name: string;
  value: string | undefined;
}

function portOf({ name, value = "4000" }: Given): number {
  const port = Number(value);
  if (!/^\d+$/.test(value) || port > 65_535)
    throw new SettingFault(`${name} is "${value}"; it must be a port from 0 to 65535.`);
  return port;
}

function urlOf({ name, value }: Given): string | null {
  if (value === undefined) return null;
  const url = URL.parse(value);
  const isPlain = url && /^https?:$/.test(url.protocol) && url.pathname === "/" && !url.search && !url.hash;
  if (!isPlain || url.username || url.password)
    throw new SettingFault(
      `${name} is "${value}"; it must be an address like https://blog.example.com, without a path.`,
    );
  return url.origin;
}

function listOf({ value = "" }: Given): string[] {
  return value
    .split(",")
    .map((item) => item.trim())
    .filter(Boolean);
}

function rangesOf(given: Given): string[] {
  const ranges = listOf(given);
  const wrong = ranges.find((range) => !isRange(range));
  if (wrong !== undefined)
    throw new SettingFault(
      `${given.name} holds "${wrong}"; it takes addresses and CIDR ranges, between commas.`,
    );
  return ranges;
}

function durationsOf({ name, value }: Given, standard: string): number[] {
  const durations = (value ?? standard).split(",").map((item) => parseDuration(item.trim()));
  if (durations.some((duration) => duration === null))
    throw new SettingFault(`${name} is "${value}"; it must be durations like 5s, 30m, 2h or 1d.`);
  return durations as number[];
}

function timeoutOf({ name, value = "10s" }: Given): number {
  const timeout = parseDuration(value);
  if (timeout === null || timeout > LONGEST_TIMEOUT)
    throw new SettingFault(`${name} is "${value}"; it must be one duration like 10s, at most 10m.`);
  return timeout;
}

/** In bytes. */
function megabytesOf({ name, value }: Given): number | null {
  if (value === undefined) return null;
  if (!/^[1-9]\d{0,6}$/.test(value))
    throw new SettingFault(`${name} is "${value}"; it must be a number of megabytes, like 512.`);
  return Number(value) * MEGABYTE;
}

function backupOf(to: Given, { name, value = "1d" }: Given, keep: Given): BackupSchedule | null {
  const place = to.value === undefined ? null : parseBackupPlace(to.value);
  if (to.value !== undefined && place === null)
    throw new SettingFault(
      `${to.name} is "${to.value}"; it must be a folder or an address like s3://bucket/blog.`,
    );
  const every = parseDuration(value);
  if (every === null) throw new SettingFault(`${name} is "${value}"; it must be one duration like 1d or 6h.`);
  const kept = keep.value ?? "7d,4w,12m";
  if (parseKeptBackups(kept) === null)
    throw new SettingFault(
      `${keep.name} is "${kept}"; it must be numbers of days, weeks and months like 7d,4w,12m.`,
    );
  return place === null ? null : { to: place, every, keep: kept };
}

function logOf({ name, value = "text" }: Given): Config["log"] {
  const format = LOG_FORMATS.find((one) => one === value);
  if (!format) throw new SettingFault(`${name} is "${value}"; it must be ${LOG_FORMATS.join(" or ")}.`);
  return format;
}

/** Its value is a secret, and told nowhere. */
function tokenOf({ name, value }: Given): string | null {
  if (value !== undefined && value.length < SHORTEST_TOKEN)
    throw new SettingFault(`${name} is too short to be a secret; it must have ${SHORTEST_TOKEN} characters.`);
  return value ?? null;
}

/** The header is told nowhere, for its value is a secret. */
function purgeOf(to: Given, { name, value }: Given): Purge | null {
  const [, header = "", text = ""] = /^([\w-]{1,100}): ?([\x20-\x7e]{1,4000})$/.exec(value ?? "") ?? [];
  if (value !== undefined && header === "")
    throw new SettingFault(`${name} must be a header like "AccessKey: 1234", its name before the colon.`);
  if (to.value === undefined && value !== undefined)
    throw new SettingFault(`${name} is of no use without PLATEN_PURGE_URL.`);
  if (to.value === undefined) return null;
  if (!/^https?:$/.test(URL.parse(to.value)?.protocol ?? ""))
    throw new SettingFault(`${to.name} is "${to.value}"; it must be an address of http or https.`);
  return { url: to.value, header: value === undefined ? null : { name: header, value: text } };
}

/**
 * Where backups go: an absolute path, or s3://bucket/prefix without a slash at the end; null where it is neither.
 */
export function parseBackupPlace(text: string): string | null {
  if (!/^[a-z0-9]+:\/\//i.test(text)) return text === "" ? null : resolve(text);
  const [bucket = "", ...prefix] = text.slice("s3://".length).replace(/\/$/, "").split("/");
  const isPlain = text.startsWith("s3://") && /^[a-z0-9][a-z0-9.-]*$/.test(bucket);
  return isPlain && prefix.every((name) => /^[\w.-]+$/.test(name))
    ? `s3://${[bucket, ...prefix].join("/")}`
    : null;
}

/** Of how many days, weeks and months a backup is kept. */
export type KeptBackups = Partial<Record<"d" | "w" | "m", number>>;

/** "7d,4w,12m" → their numbers; null where it is anything else, or names a unit twice. */
export function parseKeptBackups(text: string): KeptBackups | null {
  const kept = new Map<string, number>();
  for (const item of text.split(",")) {
    const [, number, unit = ""] = /^([1-9]\d{0,3})([dwm])$/.exec(item.trim()) ?? [];
    if (number === undefined || kept.has(unit)) return null;
    kept.set(unit, Number(number));
  }
  return Object.fromEntries(kept);
}

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
