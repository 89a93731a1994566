import { MAX_LENGTHS } from "../config/request-limits";
import { SECOND } from "../config/units";
import { malformedField } from "../errors";
import { fieldTooLong } from "../http/requests/request-body";
import { type HttpClient, type HttpResponse, wholeBody } from "../outgoing/http-client";
import { cleanText } from "../text/clean-text";
import { parseFlatObject } from "../text/json";
import { parseWebUrl } from "../text/web-urls";
import { workerQueues } from "../worker-queue";
import type { ClientMetadata, parseClientHtml } from "./client-html";

/** Short, because the owner waits for the consent page. */
const FETCH_TIMEOUT_MS = 5 * SECOND;
const PARSE_TIMEOUT_MS = SECOND;
const MAX_RESPONSE_BYTES = 512 * 1024;
const MAX_REDIRECTS = 3;
const MAX_NAME_LENGTH = 60;
const MAX_LINKS_LENGTH = 4000;
const MAX_REDIRECT_URIS = 100;

export type Client = Awaited<ReturnType<typeof fetchClient>>;

/** IndieAuth 4.2. If the metadata cannot be fetched or has no name, the name is the client_id's host. */
export async function fetchClient(web: HttpClient, clientId: string, isForAdmin: boolean) {
  const metadata = (isLoopback(clientId) ? null : await fetchMetadata(web, clientId, isForAdmin)) ?? {
    redirectUris: [],
  };
  return {
    id: clientId,
    name: nameIn(metadata) || new URL(clientId).host,
    logo: webAddress(metadata.logo),
    // Listed by the app, unchecked.
    redirectUris: metadata.redirectUris
      .filter((address) => address.length <= MAX_LENGTHS.webAddress)
      .slice(0, MAX_REDIRECT_URIS),
  };
}

/** Bidirectional control characters could disguise the name. */
function nameIn({ name = "" }: ClientMetadata): string {
  const line = name
    .replace(/\p{Bidi_Control}/gu, "")
    .replace(/\s+/g, " ")
    .trim();
  return cleanText(line.slice(0, MAX_NAME_LENGTH)).trim();
}

async function fetchMetadata(web: HttpClient, clientId: string, isForAdmin: boolean) {
  const response = await web.send({
    url: clientId,
    headers: { accept: "application/json, text/html;q=0.9" },
    within: FETCH_TIMEOUT_MS,
    isForAdmin,
    redirects: MAX_REDIRECTS,
  });
  if ("failed" in response) return null;
  // A redirect to another host may be an open redirect, so that host's metadata is not trusted.
  if (response.statusCode !== 200 || new URL(response.url).hostname !== new URL(clientId).hostname) {
    response.close();
    return null;
  }
  const body = await wholeBody(response, MAX_RESPONSE_BYTES);
  if ("failed" in body) return null;
  const text = new TextDecoder().decode(body);
  return /^application\/([\w.-]+\+)?json\b/i.test(response.headers["content-type"] ?? "")
    ? metadataInJson(text, clientId)
    : await metadataInPage(text, response);
}

/** null unless the document contains this client_id. */
function metadataInJson(text: string, clientId: string): ClientMetadata | null {
  const document = parseFlatObject(text) ?? {};
  const word = (name: string) => (typeof document[name] === "string" ? document[name] : undefined);
  if (parseWebUrl(word("client_id") ?? "")?.href !== clientId) return null;
  const listed = Array.isArray(document.redirect_uris) ? document.redirect_uris : [];
  return {
    name: word("client_name"),
    logo: word("logo_uri"),
    redirectUris: listed.filter((item): item is string => typeof item === "string"),
  };
}

/** Older apps list redirect_uris in a page or its Link header. A page that cannot be parsed is ignored. */
async function metadataInPage(text: string, { headers, url }: HttpResponse): Promise<ClientMetadata> {
  const metadata = await workerQueues.remote
    .run<typeof parseClientHtml>(
      "parseClientHtml",
      { within: PARSE_TIMEOUT_MS, characters: text.length, source: "" },
      text,
      url,
    )
    .catch((): ClientMetadata => ({ redirectUris: [] }));
  const links = [headers.link ?? []].flat().join(", ").slice(0, MAX_LINKS_LENGTH).split("<").slice(1);
  const listed = links
    .map((link) => [link.slice(0, link.indexOf(">")), link.slice(link.indexOf(">"))] as const)
    .filter(([, parameters]) => /\brel ?= ?"?(?:[\w-]+ )*redirect_uri\b/i.test(parameters))
    .map(([address]) => URL.parse(address, url)?.href)
    .filter((address) => address !== undefined);
  return { ...metadata, redirectUris: [...listed, ...metadata.redirectUris] };
}

/** URL parsers accept ";", "," and "*" in hosts, but Content-Security-Policy interprets them. */
const PLAIN_HOST = /^(?:[\w.-]+|\[[\da-f:]+\])$/;

function webAddress(text: string | undefined): string | null {
  const url = parseWebUrl(text ?? "");
  return url && PLAIN_HOST.test(url.hostname) ? url.href : null;
}

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
