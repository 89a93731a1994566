import type { LookupAddress } from "node:dns";
import type { IncomingMessage } from "node:http";
import type { RequestOptions } from "node:https";
import { isIP } from "node:net";
import { hostOf } from "./address-guard";
import type { Failure, HttpRequest } from "./http-client";
import type { Checked, KeptConnections } from "./kept-connections";
import { request } from "./protocols";

/** One request without its redirects. */
interface Hop extends Pick<HttpRequest, "method" | "body"> {
  readonly url: URL;
  /** From `allowedAddresses`: the connection goes to one of these. */
  readonly addresses: LookupAddress[];
  readonly headers: Record<string, string>;
  /** Undefined for a connection of its own. */
  readonly kept?: KeptConnections;
}

/**
 * Sends one request; resolves with the status and headers of the response. Where it goes over a kept connection that the
 * other end turns out to have closed, it is sent once more over one of its own, and may arrive twice.
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
      response.on("error", () => {}); // the reader of the body tells of it; without a listener it would end the process
      tell(response);
    });
    // Without a listener, a "101 Switching Protocols" that nobody asked for would leave the promise pending for ever.
    sent.on("upgrade", (_, socket) => {
      socket.destroy();
      tell({ failed: "the answer switched to another protocol", kind: "broken" });
    });
    sent.end(hop.body);
  });
}

function optionsOf({ method, url, addresses, headers, body, kept }: Hop): RequestOptions & Checked {
  const host = hostOf(url);
  return {
    // No pool of others, and no proxy from the environment: the connection goes to the addresses that were checked.
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
      "accept-encoding": "identity", // nothing is decoded, so no small response grows large
      ...(body !== undefined && { "content-length": String(Buffer.byteLength(body)) }),
    },
    // The certificate must be for the host of the URL, whatever address is connected to.
    servername: isIP(host) ? "" : host,
    rejectUnauthorized: true, // explicit, so that NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment has no effect
    lookup: (_host, options, found) => {
      const [first] = addresses as [LookupAddress];
      if (options.all) found(null, addresses);
      else found(null, first.address, first.family);
    },
  };
}

/** Codes of OpenSSL, and of Node for another name. */
const UNTRUSTED = /^(?:CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|INVALID_|HOSTNAME_|ERR_TLS_CERT_)/;

function failureOf(fault: NodeJS.ErrnoException, url: URL): Failure {
  const code = fault.code ?? "";
  if (code === "ECONNREFUSED") return { failed: `${url.host} refused the connection`, kind: "unreachable" };
  if (isClosing(fault)) return { failed: "the connection was closed before an answer", kind: "broken" };
  if (code.startsWith("HPE_")) return { failed: `the answer is not HTTP: ${fault.message}`, kind: "broken" };
  if (UNTRUSTED.test(code)) return { failed: fault.message, kind: "untrusted" };
  return { failed: fault.message || `${url.host} cannot be reached (${code})`, kind: "unreachable" };
}

function isClosing({ code }: NodeJS.ErrnoException): boolean {
  return code === "ECONNRESET" || code === "EPIPE";
}
