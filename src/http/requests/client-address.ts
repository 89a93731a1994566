import { type BlockList, isIP, isIPv6 } from "node:net";
import { plainHost } from "../../blogs/blog-addresses";
import { includesAddress, isLoopbackHost, toBlockList } from "../../config/ip-ranges";
import type { Platen } from "../../platen";
import { type Call, UNKNOWN_HOST } from "./call";
import { readHeader } from "./headers";

/** X-Forwarded-For counts only from trusted proxies. "" without a socket. */
export function clientAddress(call: Call): string {
  return clientAndProxies(call).client;
}

/** A proxy on this machine also connects from loopback, so forwarded requests do not count. */
export function isFromThisMachine(call: Call): boolean {
  const isForwarded = (["x-forwarded-for", "via"] as const).some(
    (name) => readHeader(call.request, name) !== null,
  );
  return !isForwarded && isLoopbackHost(clientAddress(call));
}

export function requestHost(call: Call): string {
  return plainHost(requestBase(call));
}

/**
 * Scheme, host and port that the client sees. X-Forwarded-Proto counts only from trusted proxies.
 * X-Forwarded-Host also needs PLATEN_FORWARDED_HOST.
 */
export function requestBase(call: Call): URL {
  const { platen, request, url } = call;
  const { proxies } = clientAndProxies(call);
  const forwarded = (name: "proto" | "host") =>
    forwardedValue(readHeader(request, `x-forwarded-${name}`), proxies);
  const scheme = forwarded("proto") === "https" ? "https" : url.protocol.slice(0, -1);
  const host = (platen.config.forwardedHost && forwarded("host")) || url.host;
  return URL.parse(`${scheme}://${host}/`) ?? new URL(`http://${UNKNOWN_HOST}/`);
}

/**
 * Reads X-Forwarded-For from its end until an untrusted address, because the client may have forged all
 * earlier entries.
 */
function clientAndProxies({ platen, request, sockets }: Call): { client: string; proxies: number } {
  const forwardedFor = (readHeader(request, "x-forwarded-for") ?? "").split(",");
  let client = parseIp(sockets?.requestIP(request)?.address ?? "");
  let proxies = 0;
  while (isTrusted(platen, client)) {
    proxies++;
    const before = parseIp(forwardedFor.pop() ?? "");
    if (before === "") break;
    client = before;
  }
  return { client, proxies };
}

/**
 * The value from the trusted proxy that the client connected to. Each proxy appends to the list or replaces
 * the list.
 */
function forwardedValue(list: string | null, proxies: number): string | undefined {
  if (list === null || proxies === 0) return undefined;
  const values = list.split(",");
  return values.at(-Math.min(proxies, values.length))?.trim();
}

/** "203.0.113.7:55123", "[2001:db8::1]:80" and "::ffff:203.0.113.7" → the IP address; "" if there is none. */
function parseIp(text: string): string {
  const bare = text.trim().replace(/^\[(.+)\](:\d+)?$/, "$1");
  const address = bare.replace(/^::ffff:(?=[\d.]+$)/i, "").replace(/^([\d.]+):\d+$/, "$1");
  return isIP(address) ? address : "";
}

const trustedProxies = new WeakMap<Platen, BlockList>();

function isTrusted(platen: Platen, address: string): boolean {
  const list = trustedProxies.getOrInsertComputed(platen, () =>
    toBlockList(["127.0.0.0/8", "::1", ...platen.config.trustProxy]),
  );
  return includesAddress(list, address);
}

/** "203.0.113.*", "2001:db8:1:*", "this machine"; "" for no IP address. */
export function networkName(address: string): string {
  if (isIP(address) === 0) return "";
  if (isLoopbackHost(address)) return "this machine";
  if (!isIPv6(address)) return `${address.split(".").slice(0, 3).join(".")}.*`;
  const [head = ""] = address.split("::");
  return `${head.split(":").slice(0, 3).join(":")}:*`;
}
