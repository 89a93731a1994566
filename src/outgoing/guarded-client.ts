import type { IncomingMessage } from "node:http";
import type { Config } from "../config/config";
import {
  type AllowedHosts,
  allowedAddresses,
  allowedHosts,
  NO_PRIVATE_HOSTS,
  type Resolve,
  resolvingRarely,
  systemResolve,
} from "./address-guard";
import { type Deadline, startDeadline } from "./deadline";
import type { Failure, HttpClient, HttpRequest, HttpResponse } from "./http-client";
import { type KeptConnections, keptConnections } from "./kept-connections";
import { bodyOf } from "./response-body";
import { requestOnce } from "./single-request";

const REDIRECTS = [301, 302, 303, 307, 308];
const CREDENTIALS = /^(authorization|cookie)$/i;

/** Settings of the client that apply to a request. */
interface Sender {
  readonly allowed: AllowedHosts;
  readonly resolve: Resolve;
  readonly kept?: KeptConnections;
}

/**
 * Creates the HTTP client for all outgoing requests. Every request has a time limit, and follows redirects only
 * on request.
 * Private addresses are blocked. Admins can reach hosts listed in PLATEN_PRIVATE_HOSTS.
 * @param resolve resolves host names; the default is the system's resolver
 * @param keepsConnections reuses connections; only for requests that may safely be sent twice
 * @throws SettingError if PLATEN_PRIVATE_HOSTS is invalid
 */
export function guardedClient(
  config: Pick<Config, "privateHosts">,
  {
    resolve = systemResolve,
    keepsConnections = false,
  }: { resolve?: Resolve; keepsConnections?: boolean } = {},
): HttpClient {
  const allowed = allowedHosts(config);
  const by = keepsConnections ? { resolve: resolvingRarely(resolve), kept: keptConnections() } : { resolve };
  return {
    send: (request) => send(request, { ...by, allowed: request.isForAdmin ? allowed : NO_PRIVATE_HOSTS }),
  };
}

async function send(request: HttpRequest, sender: Sender): Promise<HttpResponse | Failure> {
  const deadline = startDeadline(request.within, request.stop);
  const outcome = await Promise.race([followRedirects(request, sender, deadline), deadline.passed]);
  if ("failed" in outcome) deadline.clear();
  return outcome;
}

async function followRedirects(
  request: HttpRequest,
  { allowed, resolve, kept }: Sender,
  deadline: Deadline,
): Promise<HttpResponse | Failure> {
  const start = URL.parse(request.url);
  if (!start) return { failed: `"${request.url}" is not an address`, kind: "refused" };
  let url: URL = start;
  let headers = request.headers ?? {};
  for (let left = request.method === "GET" ? (request.redirects ?? 0) : 0; ; left--) {
    const addresses = await allowedAddresses(url, allowed, resolve);
    if ("failed" in addresses) return addresses;
    const response = await requestOnce({ ...request, url, addresses, headers, kept }, deadline.signal);
    if ("failed" in response) return response;
    const next: URL | null = left > 0 ? redirectOf(response, url) : null;
    if (!next) return responseOf(response, url, deadline);
    response.destroy();
    url = next;
    headers = withoutCredentials(headers);
  }
}

function redirectOf({ statusCode, headers }: IncomingMessage, from: URL): URL | null {
  if (!REDIRECTS.includes(statusCode as number) || !headers.location) return null;
  return URL.parse(headers.location, from.href);
}

function withoutCredentials(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !CREDENTIALS.test(name)));
}

function responseOf(response: IncomingMessage, url: URL, deadline: Deadline): HttpResponse {
  response.once("close", deadline.clear);
  return {
    answered: response.statusCode as number,
    url: url.href,
    headers: response.headers,
    body: bodyOf(response, deadline.signal),
    close: () => void response.destroy(),
  };
}
