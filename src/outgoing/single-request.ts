import type { LookupAddress } from "node:dns";
import type { IncomingMessage } from "node:http";
import type { RequestOptions } from "node:https";
import { isIP } from "node:net";
import { hostOf } from "./address-guard";
import type { Failure, HttpRequest } from "./http-client";
import type { Checked, KeptConnections } from "./kept-connections";
import { request } from "./protocols";

/** A single request, without its redirects. */
interface Hop extends Pick<HttpRequest, "method" | "body"> {
  readonly url: URL;
  /** Result of `allowedAddresses`. The connection goes to one of these. */
  readonly addresses: LookupAddress[];
  readonly headers: Record<string, string>;
  /** undefined: the request opens a new connection. */
  readonly kept?: KeptConnections;
}

/**
 * Sends one request and resolves with the response's status and headers.
 * If a kept connection turns out to be closed, it retries on a new connection. The request may then arrive
 * twice.
 * @param ended closes the connection at any time; its `reason` is the Failure
 */
export function requestOnce(hop: Hop, ended: AbortSignal): Promise<IncomingMessage | Failure> {
  if (ended.aborted) return Promise.resolve(ended.reason);
  return new Promise((tell) => {
    const sent = request(hop.url, optionsOf(hop));
    ended.addEventListener("abort", () => sent.destroy());
    sent.on("error", (fault) => {
      if (sent.reusedSocket && isClosing(fault)) tell(requestOnce({ ...hop, kept: undefined }, ended));
      else tell(failureOf(fault, hop.url));
    });
    sent.on("response", (response) => {
      response.on("error", () => {}); // the body's reader reports it; without a listener the process would exit
      tell(response);
    });
    // Without a listener, an unexpected "101 Switching Protocols" would leave the promise pending forever.
    sent.on("upgrade", (_, socket) => {
      socket.destroy();
      tell({ failed: "the response switched to another protocol", kind: "broken" });
    });
    sent.end(hop.body);
  });
}

function optionsOf({ method, url, addresses, headers, body, kept }: Hop): RequestOptions & Checked {
  const host = hostOf(url);
  return {
    // Uses no shared agent and no proxy, because the connection must go to a checked address.
    agent: kept?.[url.protocol as keyof KeptConnections] ?? false,
    checked: addresses
      .map(({ address }) => address)
      .sort()
      .join(),
    method,
    host,
    port: url.port,
    path: url.pathname + url.search,
    headers: {
      ...headers,
      host: url.host,
      "accept-encoding": "identity", // responses are not decoded, so none can expand
      ...(body !== undefined && { "content-length": String(Buffer.byteLength(body)) }),
    },
    // The certificate must match the URL's host, whatever the connected address.
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

function failureOf(fault: NodeJS.ErrnoException, url: URL): Failure {
  const code = fault.code ?? "";
  if (code === "ECONNREFUSED") return { failed: `${url.host} refused the connection`, kind: "unreachable" };
  if (isClosing(fault)) return { failed: "the connection was closed before a response", kind: "broken" };
  if (code.startsWith("HPE_"))
    return { failed: `the response is not HTTP: ${fault.message}`, kind: "broken" };
  if (UNTRUSTED.test(code)) return { failed: fault.message, kind: "untrusted" };
  return { failed: fault.message || `${url.host} cannot be reached (${code})`, kind: "unreachable" };
}

function isClosing({ code }: NodeJS.ErrnoException): boolean {
  return code === "ECONNRESET" || code === "EPIPE";
}
