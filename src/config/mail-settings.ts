import { readFileSync } from "node:fs";
import { type Setting, SettingError } from "./setting-parsers";

export interface Relay {
  host: string;
  port: number;
  /** true: TLS from the start (smtps:); false: STARTTLS, which only a relay on this machine may lack. */
  isSecure: boolean;
  user: string | null;
  password: string | null;
  from: string;
}

const MAX_MAIL_ADDRESS_LENGTH = 254;

/** Rejects texts that could add a header or a recipient to a mail. */
export function isMailAddress(text: string): boolean {
  return (
    text.length <= MAX_MAIL_ADDRESS_LENGTH &&
    /^[^\s@"<>(),:;\\[\]\p{Cc}]{1,64}@[^\s@"<>(),:;\\[\]\p{Cc}]+$/u.test(text)
  );
}

/** @returns the error without the field's name if the URL is invalid */
export function parseRelayUrl(text: string): Omit<Relay, "from"> | string {
  const url = URL.parse(text);
  if (!url || !/^smtps?:$/.test(url.protocol) || !url.hostname)
    return "must be like smtp://user:password@mail.example.com:587 or smtps://…:465";
  if ((url.pathname && url.pathname !== "/") || url.search || url.hash)
    return "must have nothing after the port";
  const isSecure = url.protocol === "smtps:";
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: url.port ? Number(url.port) : isSecure ? 465 : 587,
    isSecure,
    user: decoded(url.username),
    password: decoded(url.password),
  };
}

function decoded(text: string): string | null {
  if (text === "") return null;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Errors do not show the URL, because it may contain a password. */
export function parseRelay(url: Setting, passwordFile: Setting, from: Setting): Relay | null {
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

export function parseCaFile(setting: Setting): string | null {
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

export const DEFAULT_MAIL_PER_HOUR = 500;

export function parseMailPerHour(text: string): number | null {
  return /^[1-9]\d{0,5}$/.test(text) ? Number(text) : null;
}
