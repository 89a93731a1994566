import type { LookupAddress } from "node:dns";
import type { IncomingMessage } from "node:http";
import type { RequestOptions } from "node:https";
import { isIP } from "node:net";
import type { Config } from "../config/config";
import { version } from "../version";
import {
  allowedAddresses,
  allowedHosts,
  hostOf,
  NO_PRIVATE_HOSTS,
  type Resolve,
  refused,
  systemResolve,
} from "./address-guard";
import { bodyOf, type Failure, type HttpClient, type HttpRequest, type HttpResponse } from "./http-client";

const REDIRECTS = [301, 302, 303, 307, 308];
/** More informational responses (RFC 9110 15.2) would keep the server busy until the time limit. */
const MAX_INFORMATIONAL_RESPONSES = 20;
const CREDENTIALS = /^(authorization|cookie)$/i;

/**
 * Use this client for every HTTP request to another server, except S3, because it blocks private addresses.
 * Admins can reach hosts in PLATEN_PRIVATE_HOSTS.
 */
export function guardedClient(
  config: Pick<Config, "privateHosts">,
  { resolve = systemResolve }: { resolve?: Resolve } = {},
): HttpClient {
  const allowed = allowedHosts(config);
  return {
    async send(request) {
      const deadline = startDeadline(request.within, request.stop);
      const guard: Guard = (url) =>
        allowedAddresses(url, request.isForAdmin ? allowed : NO_PRIVATE_HOSTS, resolve);
      const outcome = await Promise.race([followRedirects(request, guard, deadline), deadline.passed]);
      if ("failed" in outcome) deadline.clear();
      return outcome;
    },
  };
}

/** @returns the addresses that the request may connect to */
type Guard = (url: URL) => Promise<LookupAddress[] | Failure>;

async function followRedirects(request: HttpRequest, guard: Guard, deadline: Deadline) {
  const start = URL.parse(request.url);
  if (!start) return refused(`"${request.url}" is not an address`);
  let url: URL = start;
  let headers = request.headers ?? {};
  for (let left = (request.method ?? "GET") === "GET" ? (request.redirects ?? 0) : 0; ; left--) {
    const addresses = await guard(url);
    if ("failed" in addresses) return addresses;
    const response = await requestOnce({ ...request, url, addresses, headers }, deadline.signal);
    if ("failed" in response) return response;
    const next: URL | null = left > 0 ? redirectOf(response, url) : null;
    if (!next) return responseOf(response, url, deadline);
    response.destroy();
    url = next;
    headers = Object.fromEntries(Object.entries(headers).filter(([name]) => !CREDENTIALS.test(name)));
  }
}

function redirectOf({ statusCode, headers }: IncomingMessage, from: URL): URL | null {
  if (!REDIRECTS.includes(statusCode as number) || !headers.location) return null;
  return URL.parse(headers.location, from.href);
}

function responseOf(response: IncomingMessage, url: URL, deadline: Deadline): HttpResponse {
  response.once("close", deadline.clear);
  return {
    statusCode: response.statusCode as number,
    url: url.href,
    headers: response.headers,
    body: bodyOf(response, deadline.signal),
    close: () => void response.destroy(),
  };
}

interface Hop extends Pick<HttpRequest, "method" | "body"> {
  readonly url: URL;
  readonly addresses: LookupAddress[];
  readonly headers: Record<string, string>;
}

/** @param ended aborting closes the connection; `reason` is the Failure */
function requestOnce(hop: Hop, ended: AbortSignal): Promise<IncomingMessage | Failure> {
  if (ended.aborted) return Promise.resolve(ended.reason);
  return new Promise((tell) => {
    const out = request(hop.url, optionsOf(hop));
    ended.addEventListener("abort", () => out.destroy());
    out.on("error", (error) => tell(failureOf(error, hop.url)));
    out.on("response", (response) => {
      // The body's reader reports the error. Without a listener, the process would exit.
      response.on("error", () => {});
      tell(response);
    });
    let informational = 0;
    out.on("information", () => {
      if (++informational === MAX_INFORMATIONAL_RESPONSES)
        out.destroy(new Error("the server sends too many informational responses"));
    });
    // Without a listener, an unexpected "101 Switching Protocols" would leave the promise pending forever.
    out.on("upgrade", (_, socket) => {
      socket.destroy();
      tell({ failed: "the response switched to another protocol", kind: "broken" });
    });
    out.end(hop.body);
  });
}

/** Loads modules on first use, for a fast start. */
function request({ protocol }: URL, options: RequestOptions) {
  if (protocol === "http:") return (require("node:http") as typeof import("node:http")).request(options);
  return (require("node:https") as typeof import("node:https")).request(options);
}

function optionsOf({ method, url, addresses, headers, body }: Hop): RequestOptions {
  const host = hostOf(url);
  return {
    // No shared agent and no proxy, because the connection must go to a checked address.
    agent: false,
    method,
    host,
    port: url.port,
    path: url.pathname + url.search,
    headers: {
      "user-agent": `Platen/${version}`, // many servers and CDNs reject requests without one
      ...headers,
      host: url.host,
      "accept-encoding": "identity", // responses are not decoded, so none can expand
      ...(body !== undefined && { "content-length": String(Buffer.byteLength(body)) }),
    },
    // The certificate must match the URL's host, not the connected address.
    servername: isIP(host) ? "" : host,
    rejectUnauthorized: true, // overrides NODE_TLS_REJECT_UNAUTHORIZED=0 from the environment
    lookup: (_host, options, found) => {
      const [first] = addresses as [LookupAddress];
      if (options.all) found(null, addresses);
      else found(null, first.address, first.family);
    },
  };
}

/** Codes of certificate errors: OpenSSL's, and Node's for a host name mismatch. */
const UNTRUSTED = /^(?:CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|INVALID_|HOSTNAME_|ERR_TLS_CERT_)/;

function failureOf(error: NodeJS.ErrnoException, url: URL): Failure {
  const code = error.code ?? "";
  if (code === "ECONNREFUSED") return { failed: `${url.host} refused the connection`, kind: "unreachable" };
  if (code === "ECONNRESET" || code === "EPIPE")
    return { failed: "the connection was closed before a response", kind: "broken" };
  if (code.startsWith("HPE_"))
    return { failed: `the response is not HTTP: ${error.message}`, kind: "broken" };
  if (UNTRUSTED.test(code)) return { failed: error.message, kind: "untrusted" };
  return { failed: error.message || `${url.host} cannot be reached (${code})`, kind: "unreachable" };
}

type Deadline = ReturnType<typeof startDeadline>;

// AbortSignal.any with AbortSignal.timeout would keep memory until the timeout.
function startDeadline(milliseconds: number, stop?: AbortSignal) {
  const ending = new AbortController();
  const end = (kind: "timed out" | "stopped") => ending.abort({ failed: kind, kind } satisfies Failure);
  const onStop = () => end("stopped");
  const timer = setTimeout(() => end("timed out"), milliseconds);
  stop?.addEventListener("abort", onStop);
  const passed = new Promise<Failure>((tell) =>
    ending.signal.addEventListener("abort", () => tell(ending.signal.reason)),
  );
  if (stop?.aborted) onStop();
  return {
    signal: ending.signal,
    passed,
    clear: () => {
      clearTimeout(timer);
      stop?.removeEventListener("abort", onStop);
    },
  };
}
