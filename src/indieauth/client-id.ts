import { MAX_LENGTHS } from "../config/request-limits";
import { malformedField } from "../errors";
import { fieldTooLong } from "../http/requests/request-body";

/** Hosts of apps under development. Nothing is fetched from these hosts. */
const LOOPBACK = ["127.0.0.1", "[::1]", "localhost"];
/** Schemes that are never redirected to, even if an app lists them. */
const NO_REDIRECT = /^(javascript|data|vbscript|blob|file|about|filesystem|view-source):$/;

/** IndieAuth 3.3 and 3.4. */
export function parseClientId(text: string | null): string {
  return parseAppUrl("client_id", text, problemOfClientId).href;
}

/** Allows private schemes, which mobile apps use. */
export function parseRedirectUri(text: string | null): URL {
  return parseAppUrl("redirect_uri", text, (url, text) => {
    if (NO_REDIRECT.test(url.protocol)) return "must be a URL of the app";
    const isPlain = !url.username && !url.password && !text.includes("#");
    return isPlain ? null : "must not have a fragment, user name or password";
  });
}

function parseAppUrl(
  field: string,
  text: string | null,
  problemOf: (url: URL, text: string) => string | null,
): URL {
  if (text !== null && text.length > MAX_LENGTHS.webAddress)
    throw fieldTooLong(field, MAX_LENGTHS.webAddress);
  const url = text === null || /[\s\\]/.test(text) ? null : URL.parse(text);
  if (!url || text === null) throw malformedField(field, "must be a URL like https://app.example/");
  const problem = problemOf(url, text);
  if (problem) throw malformedField(field, problem);
  return url;
}

function problemOfClientId(url: URL, text: string): string | null {
  if (!/^https?:$/.test(url.protocol)) return "must begin with https: or http:";
  if (url.username || url.password) return "must not contain a user name or password";
  if (text.includes("#")) return "must not have a fragment";
  if (/\/(\.|%2e){1,2}(?=[/?]|$)/i.test(text)) return "must not have dot segments";
  if (/^(\[|[\d.]+$)/.test(url.hostname) && !LOOPBACK.includes(url.hostname))
    return "must have a host name, not an IP address";
  return null;
}

export function isLoopback(clientId: string): boolean {
  const { hostname } = new URL(clientId);
  return LOOPBACK.includes(hostname) || hostname.endsWith(".localhost");
}

/** The app need not list a redirect_uri on its own origin (IndieAuth 5.2). */
export function isOnClientsOrigin(redirectUri: URL, clientId: string): boolean {
  return /^https?:$/.test(redirectUri.protocol) && redirectUri.origin === new URL(clientId).origin;
}
