import type { LookupAddress } from "node:dns";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest, type RequestOptions } from "node:https";
import { isIP } from "node:net";
import { hostOf } from "./address-guard";
import type { Failure, OutgoingRequest } from "./request-and-answer";

interface Hop extends Pick<OutgoingRequest, "method" | "body"> {
  readonly url: URL;
  /** Checked ones: the connection goes to one of these. */
  readonly addresses: LookupAddress[];
  readonly headers: Record<string, string>;
}

/** One request, on a connection of its own, and the head of its answer; `ended` closes the connection at any time. */
export function exchange(hop: Hop, ended: AbortSignal): Promise<IncomingMessage | Failure> {
  if (ended.aborted) return Promise.resolve(ended.reason);
  return new Promise((tell) => {
    const sent = (hop.url.protocol === "https:" ? httpsRequest : httpRequest)(optionsOf(hop));
    ended.addEventListener("abort", () => sent.destroy());
    sent.on("error", (fault) => tell(failureOf(fault, hop.url)));
    sent.on("response", (response) => {
      response.on("error", () => {}); // told by whoever reads the body; unheard it would end the process
      tell(response);
    });
    // Asked for or not: without a listener, a "101 Switching Protocols" leaves the connection open and no word said.
    sent.on("upgrade", (_, socket) => {
      socket.destroy();
      tell({ failed: "the answer switched to another protocol", kind: "broken" });
    });
    sent.end(hop.body);
  });
}

function optionsOf({ method, url, addresses, headers, body }: Hop): RequestOptions {
  const host = hostOf(url);
  return {
    agent: false, // a connection of its own, which neither a pool nor a proxy of the environment has a say in
    method,
    host,
    port: url.port,
    path: url.pathname + url.search,
    headers: {
      ...headers,
      host: url.host,
      "accept-encoding": "identity", // and nothing is decoded: no small answer grows large
      ...(body !== undefined && { "content-length": String(Buffer.byteLength(body)) }),
    },
    // The certificate must be for the host of the URL, whatever address is connected to.
    servername: isIP(host) ? "" : host,
    rejectUnauthorized: true, // said, so that NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment says nothing
    lookup: (_host, options, found) => {
      const [first] = addresses as [LookupAddress];
      if (options.all) found(null, addresses);
      else found(null, first.address, first.family);
    },
  };
}

function failureOf(fault: NodeJS.ErrnoException, url: URL): Failure {
  const code = fault.code ?? "";
  if (code === "ECONNREFUSED") return { failed: `${url.host} refused the connection`, kind: "unreachable" };
  if (code === "ECONNRESET" || code === "EPIPE")
    return { failed: "the connection was closed before an answer", kind: "broken" };
  if (code.startsWith("HPE_")) return { failed: `the answer is not HTTP: ${fault.message}`, kind: "broken" };
  return { failed: fault.message || `${url.host} cannot be reached (${code})`, kind: "unreachable" };
}
