import { readFileSync } from "node:fs";
import { networkInterfaces, totalmem } from "node:os";
import { resolve } from "node:path";
import { isRange } from "./ip-ranges";
import { isMailAddress, parseMailPerHour, parseRelayUrl, type Relay } from "./mail-settings";
import { DAY, MINUTE, parseDuration, parseMegabytes, SECOND } from "./units";

/** `name` is a flag or an environment variable. */
interface Setting {
  name: string;
  value: string | undefined;
}

export class SettingError extends Error {}

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
      read("PLATEN_WEBHOOK_TIMEOUT", "one duration like 10s, at most 10m", durationUpTo(10 * MINUTE)) ??
      10 * SECOND,
    /** Delay between publishing a post and mailing it to subscribers. */
    newsletterDelay:
      read("PLATEN_NEWSLETTER_DELAY", "one duration like 15m, at most 7d", (text) =>
        /^0[smhd]$/.test(text) ? 0 : durationUpTo(7 * DAY)(text),
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

export function isOnAllInterfaces(host: string): boolean {
  return ["0.0.0.0", "::", ""].includes(host);
}

/** Without a trailing slash. */
export function baseAddress(host: string, port: number): string {
  const name = isOnAllInterfaces(host) ? lanAddress() : host;
  return new URL(`http://${name.includes(":") ? `[${name}]` : name}:${port}`).origin;
}

function lanAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const reachable = addresses.find(({ internal, family }) => !internal && family === "IPv4");
  return reachable?.address ?? "127.0.0.1";
}

/**
 * @param rule what the value must be
 * @param parse returns null if the text is invalid
 * @returns null if the setting has no value
 */
function parseSetting<Value>({ name, value }: Setting, rule: string, parse: (text: string) => Value | null) {
  const parsed = value === undefined ? null : parse(value);
  if (value !== undefined && parsed === null)
    throw new SettingError(`${name} is "${value}"; it must be ${rule}.`);
  return parsed;
}

function parseList(text = ""): string[] {
  return text
    .split(",")
    .map((item) => item.trim())
    .filter(Boolean);
}

function parsePort(text: string): number | null {
  return /^\d+$/.test(text) && Number(text) <= 65_535 ? Number(text) : null;
}

function parseBaseUrl(text: string): string | null {
  const url = URL.parse(text);
  const isPlain = url && /^https?:$/.test(url.protocol) && url.pathname === "/" && !url.search && !url.hash;
  return isPlain && !url.username && !url.password ? url.origin : null;
}

function parseIpRanges({ name, value }: Setting): string[] {
  const ranges = parseList(value);
  const wrong = ranges.find((range) => !isRange(range));
  if (wrong !== undefined)
    throw new SettingError(
      `${name} contains "${wrong}"; it must be IP addresses and CIDR ranges, separated by commas.`,
    );
  return ranges;
}

const oneOf =
  <Choice extends string>(...choices: Choice[]) =>
  (text: string): Choice | null =>
    choices.find((choice) => choice === text) ?? null;

function parseDurations(text: string): number[] | null {
  const durations = text.split(",").map((item) => parseDuration(item.trim()));
  return durations.includes(null) ? null : (durations as number[]);
}

const durationUpTo =
  (max: number) =>
  (text: string): number | null => {
    const duration = parseDuration(text);
    return duration !== null && duration <= max ? duration : null;
  };

const MIN_TOKEN_LENGTH = 16;

/** The error does not show the value, because it is a secret. */
function parseToken({ name, value }: Setting): string | null {
  if (value !== undefined && value.length < MIN_TOKEN_LENGTH)
    throw new SettingError(`${name} is too short; it must have at least ${MIN_TOKEN_LENGTH} characters.`);
  return value ?? null;
}

export interface BackupSchedule {
  /** An absolute path, or s3://bucket/prefix without a trailing slash. */
  readonly to: string;
  /** In milliseconds. */
  readonly every: number;
  /** Such as "7d,4w,12m" (see `parseKeptBackups`). */
  readonly keep: string;
}

function parseBackupSchedule(place: Setting, interval: Setting, retention: Setting) {
  const to = parseSetting(place, "a folder or a URL like s3://bucket/blog", parseBackupPlace);
  const every = parseSetting(interval, "one duration like 1d or 6h", parseDuration) ?? DAY;
  parseSetting(retention, "numbers of days, weeks and months like 7d,4w,12m", parseKeptBackups);
  return to === null ? null : { to, every, keep: retention.value ?? "7d,4w,12m" };
}

export function parseBackupPlace(text: string): string | null {
  if (!/^[a-z0-9]+:\/\//i.test(text)) return text === "" ? null : resolve(text);
  const [bucket = "", ...prefix] = text.slice("s3://".length).replace(/\/$/, "").split("/");
  const isPlain = text.startsWith("s3://") && /^[a-z0-9][a-z0-9.-]*$/.test(bucket);
  return isPlain && prefix.every((name) => /^[\w.-]+$/.test(name))
    ? `s3://${[bucket, ...prefix].join("/")}`
    : null;
}

/** `{ d: 7 }` keeps one backup of each of the last 7 days that have a backup; w and m: weeks and months. */
export type KeptBackups = Partial<Record<"d" | "w" | "m", number>>;

/** @returns null if the text is invalid or a unit repeats */
export function parseKeptBackups(text: string): KeptBackups | null {
  const counts = new Map<string, number>();
  for (const item of text.split(",")) {
    const [, number, unit = ""] = /^([1-9]\d{0,3})([dwm])$/.exec(item.trim()) ?? [];
    if (number === undefined || counts.has(unit)) return null;
    counts.set(unit, Number(number));
  }
  return Object.fromEntries(counts);
}

export interface Purge {
  readonly url: string;
  /** The value is a secret. */
  readonly header: { name: string; value: string } | null;
}

/** Errors do not show the header, because its value is a secret. */
function parsePurge(to: Setting, { name, value }: Setting): Purge | null {
  const [, header = "", text = ""] = /^([\w-]{1,100}): ?([\x20-\x7e]{1,4000})$/.exec(value ?? "") ?? [];
  if (value !== undefined && header === "")
    throw new SettingError(`${name} must be a header like "AccessKey: 1234".`);
  const isHttp = (url: string) => /^https?:$/.test(URL.parse(url)?.protocol ?? "");
  const url = parseSetting(to, "an http or https URL", (typed) => (isHttp(typed) ? typed : null));
  if (url === null && value !== undefined)
    throw new SettingError(`${name} has no effect without PLATEN_PURGE_URL.`);
  return url === null ? null : { url, header: value === undefined ? null : { name: header, value: text } };
}

/** Errors do not show the URL, because it may contain a password. */
function parseRelay(url: Setting, passwordFile: Setting, from: Setting): Relay | null {
  const relay = url.value === undefined ? null : parseRelayUrl(url.value);
  if (typeof relay === "string") throw new SettingError(`${url.name} ${relay}.`);
  const password = readSettingFile(passwordFile)?.replace(/\r?\n$/, "");
  const sender = from.value ?? relay?.user ?? "";
  if ((relay || from.value !== undefined) && !isMailAddress(sender))
    throw new SettingError(
      `${from.name} is "${from.value ?? ""}"; it must be the sender's address, like blog@example.com.`,
    );
  return relay && { ...relay, password: password ?? relay.password, from: sender };
}

function parseCaFile(setting: Setting): string | null {
  const pem = readSettingFile(setting);
  if (pem?.includes("-----BEGIN CERTIFICATE-----") === false)
    throw new SettingError(`${setting.name} is "${setting.value}", which contains no PEM certificate.`);
  return pem;
}

function readSettingFile({ name, value }: Setting): string | null {
  if (value === undefined) return null;
  try {
    return readFileSync(value, "utf8");
  } catch (error) {
    throw new SettingError(
      `${name} is "${value}", which cannot be read (${(error as NodeJS.ErrnoException).code}).`,
    );
  }
}
