import { SECOND } from "../config/units";
import { sendForBlog } from "../deliveries/outgoing-request";
import { guardedClient } from "../outgoing/guarded-client";
import { type Failure, type HttpRequest, type HttpResponse, wholeBody } from "../outgoing/http-client";
import type { Platen } from "../platen";
import { hostOfId, type Json, parseDocument } from "./activity-streams";
import { type BlogActor, keyIdOf } from "./blog-actors";
import { ACTIVITY_TYPE, type RequestToSign, type SignatureStyle, signRequest } from "./signatures";

const TIMEOUT_MS = 10 * SECOND;
const MAX_DOCUMENT_BYTES = 256 * 1024;
const MAX_SHORT_BYTES = 64 * 1024;
const MAX_REDIRECTS = 2;
const ACCEPT = `${ACTIVITY_TYPE}, application/ld+json; profile="https://www.w3.org/ns/activitystreams"`;
/** A file of another type may be an upload of a user, who could thereby forge documents of that server. */
const DOCUMENT_TYPE = /^application\/(?:activity\+json|ld\+json)\b/i;

export const NOT_FOUND = 404;
export const GONE = 410;

/** Rejects a document whose id is on another host, because a host may speak only for its own ids. */
export async function fetchDocument(platen: Platen, actor: BlogActor, address: string, stop?: AbortSignal) {
  const failed = (problem: string, status: number | null = null) =>
    ({ document: null, failed: problem, status }) as const;
  let url = address;
  const until = performance.now() + TIMEOUT_MS;
  for (let left = MAX_REDIRECTS; ; left--) {
    if (!isAllowedUrl(platen, url)) return failed(`${url} is not an https address`);
    const response = await sendSigned(platen, actor, { method: "GET", url, stop, until });
    if ("failed" in response) return failed(response.failed);
    const { statusCode: status, headers } = response;
    const next = status >= 301 && status <= 308 && headers.location && URL.parse(headers.location, url)?.href;
    if (next && left > 0) {
      response.close();
      url = next;
      continue;
    }
    if (status !== 200 || !DOCUMENT_TYPE.test(headers["content-type"] ?? "")) {
      response.close();
      return failed(`${url} responded with status ${status} and no document`, status);
    }
    const body = await wholeBody(response, MAX_DOCUMENT_BYTES);
    if ("failed" in body) return failed(body.failed);
    const document = parseDocument(Buffer.from(body).toString());
    if (!document || hostOfId(String(document.id)) !== new URL(url).host)
      return failed(`${url} responded with a document from another host`, status);
    return { document };
  }
}

export interface ShortAnswer {
  status: number;
  document: Json | null;
}

/** Sends a request without a signature. */
export async function askForDocument(
  platen: Platen,
  actor: BlogActor,
  { accept, ...request }: Partial<HttpRequest> & { url: string; accept: string },
): Promise<ShortAnswer | Failure> {
  const sending = { within: TIMEOUT_MS, headers: { accept }, ...request };
  const response = await sendForBlog(platen, guardedClient(platen.config), actor.blogId, sending);
  if ("failed" in response) return response;
  const body = await wholeBody(response, MAX_SHORT_BYTES);
  if ("failed" in body) return body;
  return { status: response.statusCode, document: parseDocument(Buffer.from(body).toString()) };
}

function isAllowedUrl({ config }: Platen, address: string): boolean {
  const url = URL.parse(address);
  return url?.protocol === "https:" || (url?.protocol === "http:" && config.privateHosts.length > 0);
}

interface Sending extends RequestToSign {
  stop?: AbortSignal;
  /** Time limit for all attempts and redirects together, from `performance.now()`. */
  until?: number;
}

const OTHER_STYLE = [400, 401, 403];
const MAX_REMEMBERED_HOSTS = 10_000;

/** Hosts that rejected a cavage signature, but accepted RFC 9421. */
const rfc9421Hosts = new WeakMap<Platen, Set<string>>();

export async function sendSigned(
  platen: Platen,
  actor: BlogActor,
  { until, ...sending }: Sending,
  outgoing = guardedClient(platen.config),
): Promise<HttpResponse | Failure> {
  const known = rfc9421Hosts.getOrInsertComputed(platen, () => new Set());
  const { host } = new URL(sending.url);
  const [first, other]: [SignatureStyle, SignatureStyle] = known.has(host)
    ? ["rfc9421", "cavage"]
    : ["cavage", "rfc9421"];
  const send = async (style: SignatureStyle) => {
    const key = { keyId: keyIdOf(actor), privatePem: actor.privatePem };
    const headers = await signRequest(style, sending, key, platen.now());
    return await sendForBlog(platen, outgoing, actor.blogId, {
      ...sending,
      headers: { ...headers, "user-agent": `Platen (+${actor.base})`, accept: ACCEPT },
      within: until === undefined ? TIMEOUT_MS : Math.max(1, until - performance.now()),
    });
  };
  const response = await send(first);
  if ("failed" in response || !OTHER_STYLE.includes(response.statusCode)) return response;
  response.close();
  const second = await send(other);
  if ("failed" in second || OTHER_STYLE.includes(second.statusCode)) return second;
  if (other === "cavage") known.delete(host);
  else if (known.size < MAX_REMEMBERED_HOSTS) known.add(host);
  return second;
}
