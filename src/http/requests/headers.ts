import { MAX_HEADER_LENGTHS, MAX_LANGUAGES_LENGTH, MAX_REFERER_LENGTH } from "../../config/request-limits";
import { Refusal } from "../../errors";

export type HeaderName = keyof typeof MAX_HEADER_LENGTHS;

/**
 * Read requests' headers only with the functions of this file, because they limit the lengths.
 * @throws Refusal (long header) if the value is longer than MAX_HEADER_LENGTHS allows
 */
export function readHeader(request: Request, name: HeaderName): string | null {
  const value = request.headers.get(name);
  if (value === null || value.length <= MAX_HEADER_LENGTHS[name]) return value;
  const field = name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
  const rule = `must be at most ${MAX_HEADER_LENGTHS[name]} characters`;
  throw new Refusal("long header", `${field} ${rule}.`, { [field]: [rule] });
}

export function hasSeveralHosts(request: Request): boolean {
  return request.headers.get("host")?.includes(",") === true;
}

/** A chunked body has no announced length (RFC 9112 6.1). */
export function isChunked(request: Request): boolean {
  return request.headers.has("transfer-encoding");
}

export function readReferer(request: Request): string | null {
  const value = request.headers.get("referer");
  return value !== null && value.length <= MAX_REFERER_LENGTH ? value : null;
}

/** In the header's order, regardless of weights; empty if the header is too long. */
export function acceptedLanguages(request: Request): string[] {
  const value = request.headers.get("accept-language") ?? "";
  if (value.length > MAX_LANGUAGES_LENGTH) return [];
  return value.split(",").map((range) => range.replace(/;.*/, "").trim());
}

/** A fast check before cookies are parsed. Other cookies may also match. */
export function mayHaveCookie(request: Request, name: string): boolean {
  const value = request.headers.get("cookie");
  return value !== null && value.length <= MAX_HEADER_LENGTHS.cookie && value.includes(`${name}=`);
}

/** Platen's form script accepts only JSON. A browser's own requests do not. */
export function wantsJson(request: Request): boolean {
  return request.headers.get("accept") === "application/json";
}

const MAX_SIGNED_HEADER_LENGTH = 4000;

/** For requests with a signature, which may cover any header. */
export function signedHeaders(request: Request): Headers {
  for (const [name, value] of request.headers)
    if (value.length > MAX_SIGNED_HEADER_LENGTH)
      throw new Refusal("long header", `${name} must be at most ${MAX_SIGNED_HEADER_LENGTH} characters.`);
  return request.headers;
}

/** The first match counts, because a User-Agent also names browsers that it imitates. */
const BROWSERS: [part: string, name: string][] = [
  ["Edg", "Edge"],
  ["OPR/", "Opera"],
  ["SamsungBrowser/", "Samsung Internet"],
  ["Firefox/", "Firefox"],
  ["FxiOS/", "Firefox"],
  ["CriOS/", "Chrome"],
  ["Chromium/", "Chromium"],
  ["Chrome/", "Chrome"],
  ["Safari/", "Safari"],
];
const SYSTEMS: [part: string, name: string][] = [
  ["iPhone", "iPhone"],
  ["iPad", "iPad"],
  ["Android", "Android"],
  ["Windows", "Windows"],
  ["CrOS", "ChromeOS"],
  ["Mac OS X", "Mac"],
  ["Linux", "Linux"],
];

export function browserName(userAgent: string): string {
  const find = (names: [string, string][]) => names.find(([part]) => userAgent.includes(part))?.[1];
  return [find(BROWSERS), find(SYSTEMS)].filter(Boolean).join(" on ");
}

const MAX_PROGRAM_NAME = 40;

export function programName(userAgent: string): string {
  if (userAgent.startsWith("Mozilla/")) return browserName(userAgent);
  const [name = ""] = userAgent.split(/[/(]/, 1);
  return name.trim().slice(0, MAX_PROGRAM_NAME);
}
