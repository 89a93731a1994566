import { type BlockList, isIP } from "node:net";
import { plainHost } from "../../blogs/blog-names";
import { includesAddress, isLoopbackHost, toBlockList } from "../../config/ip-ranges";
import type { Platen } from "../../platen";
import { type Call, UNKNOWN_HOST } from "./call";
import { readHeader } from "./headers";

/** The address of the client: the peer itself, or what trusted proxies say in X-Forwarded-For. "" where there is no socket. */
export function clientAddress(call: Call): string {
  return wayOf(call).client;
}

/** Nobody else can ask so: neither over the network nor through a proxy that says for whom it asks. */
export function isFromThisMachine(call: Call): boolean {
  const isForwarded = (["x-forwarded-for", "via"] as const).some(
    (name) => readHeader(call.request, name) !== null,
  );
  return !isForwarded && isLoopbackHost(clientAddress(call));
}

/** The host name the client asked for, in lower case and without port. */
export function requestHost(call: Call): string {
  return plainHost(requestBase(call));
}

/** Scheme, host and port as the client has them in front of it; X-Forwarded-Host and -Proto count from trusted peers only. */
export function requestBase(call: Call): URL {
  const { platen, request, url } = call;
  const { proxies } = wayOf(call);
  const forwarded = (name: "proto" | "host") =>
    saidByProxies(readHeader(request, `x-forwarded-${name}`), proxies);
  const scheme = forwarded("proto") === "https" ? "https" : url.protocol.slice(0, -1);
  const host = (platen.config.forwardedHost && forwarded("host")) || url.host;
  return URL.parse(`${scheme}://${host}/`) ?? new URL(`http://${UNKNOWN_HOST}/`);
}

/**
 * How a request came here: X-Forwarded-For from its end, for every proxy adds to what the client may have made up. It
 * ends where somebody who is not trusted stands, or where a proxy says nothing that is an address.
 */
function wayOf({ platen, request, sockets }: Call): { client: string; proxies: number } {
  const said = (readHeader(request, "x-forwarded-for") ?? "").split(",");
  let client = addressIn(sockets?.requestIP(request)?.address ?? "");
  let proxies = 0;
  while (isTrusted(platen, client)) {
    proxies++;
    const before = addressIn(said.pop() ?? "");
    if (before === "") break;
    client = before;
  }
  return { client, proxies };
}

/**
 * What the first of the trusted proxies said, which the client spoke to: each adds to the end of the list, or puts its
 * own word in the list's place.
 */
function saidByProxies(list: string | null, proxies: number): string | undefined {
  if (list === null || proxies === 0) return undefined;
  const said = list.split(",");
  return said.at(-Math.min(proxies, said.length))?.trim();
}

/** "203.0.113.7:55123", "[2001:db8::1]:80" and "::ffff:203.0.113.7" → the address alone; "" where it is none. */
function addressIn(text: string): string {
  const bare = text.trim().replace(/^\[(.+)\](:\d+)?$/, "$1");
  const address = bare.replace(/^::ffff:(?=[\d.]+$)/i, "").replace(/^([\d.]+):\d+$/, "$1");
  return isIP(address) ? address : "";
}

const trusted = new WeakMap<Platen, BlockList>();

function isTrusted(platen: Platen, address: string): boolean {
  const list = trusted.get(platen) ?? toBlockList(["127.0.0.0/8", "::1", ...platen.config.trustProxy]);
  trusted.set(platen, list);
  return includesAddress(list, address);
}
