import { MAX_LENGTHS } from "../config/request-limits";
import { malformedField } from "../errors";
import { fieldTooLong } from "../http/requests/request-body";

/** Hosts of apps under development. Nothing is fetched from these hosts. */
const LOOPBACK = ["127.0.0.1", "[::1]", "localhost"];
/** Schemes that are never redirected to, even if an app lists them. */
const NO_REDIRECT = [
  "javascript:",
  "data:",
  "vbscript:",
  "blob:",
  "file:",
  "about:",
  "filesystem:",
  "view-source:",
];

const NO_URL = "must be a URL like https://app.example/";

/** IndieAuth 3.3 and 3.4. */
export function parseClientId(text: string | null): string {
  const url = addressIn(text, "client_id");
  const error = url ? problemOf(url, text as string) : NO_URL;
  if (error) throw malformedField("client_id", error);
  return (url as URL).href;
}

function addressIn(text: string | null, field: string): URL | null {
  if (text !== null && text.length > MAX_LENGTHS.webAddress)
    throw fieldTooLong(field, MAX_LENGTHS.webAddress);
  return text === null || /[\s\\]/.test(text) ? null : URL.parse(text);
}

function problemOf(url: URL, text: string): string | null {
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

/** Allows private schemes, which mobile apps use. */
export function parseRedirectUri(text: string | null): URL {
  const url = addressIn(text, "redirect_uri");
  const error = !url
    ? NO_URL
    : NO_REDIRECT.includes(url.protocol)
      ? "must be a URL of the app"
      : url.username || url.password || (text as string).includes("#")
        ? "must not have a fragment, user name or password"
        : null;
  if (error) throw malformedField("redirect_uri", error);
  return url as URL;
}

/** The app need not list a redirect_uri on its own origin (IndieAuth 5.2). */
export function isOnClientsOrigin(redirectUri: URL, clientId: string): boolean {
  return /^https?:$/.test(redirectUri.protocol) && redirectUri.origin === new URL(clientId).origin;
}
