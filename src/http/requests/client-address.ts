import { type BlockList, isIP } from "node:net";
import { holds, listOf } from "../../ip-ranges";
import type { Platen } from "../../platen";

/** Stands for a host that was not named; no blog has it. */
const UNKNOWN_HOST = "unknown.invalid";

/** The part of Bun's server that knows who is at the other end; null where a request came by no socket. */
export type Sockets = { requestIP(request: Request): { address: string } | null } | null;

/**
 * The address of the client: the peer itself, or what trusted proxies say in X-Forwarded-For. Read from its end,
 * because every proxy adds to what the client may have made up. "" where there is no socket.
 */
export function clientAddress(platen: Platen, request: Request, sockets: Sockets): string {
  const hops = (request.headers.get("x-forwarded-for") ?? "").split(",").map(addressIn).filter(Boolean);
  let client = peerOf(request, sockets);
  while (isTrusted(platen, client) && hops.length > 0) client = hops.pop() as string;
  return client;
}

/** The host name the client asked for, in lower case and without port. */
export function requestHost(platen: Platen, request: Request, sockets: Sockets): string {
  return requestBase(platen, request, sockets).hostname;
}

/** Scheme, host and port as the client has them in front of it; X-Forwarded-Host and -Proto count from trusted peers only. */
export function requestBase(platen: Platen, request: Request, sockets: Sockets): URL {
  const asked = addressAsked(request);
  const forwarded = isTrusted(platen, peerOf(request, sockets))
    ? (name: string) => request.headers.get(`x-forwarded-${name}`)?.split(",")[0]?.trim()
    : () => undefined;
  const scheme = forwarded("proto") === "https" ? "https" : asked.protocol.slice(0, -1);
  return URL.parse(`${scheme}://${forwarded("host") || asked.host}/`) ?? new URL(`http://${UNKNOWN_HOST}/`);
}

/** The request's address. A request without a Host header, or with a senseless one, has an address that cannot be parsed. */
export function addressAsked(request: Request): URL {
  const path = request.url.replace(/^\w+:\/\/[^/]*/, "").replace(/^\/+/, "");
  return URL.parse(request.url) ?? new URL(`http://${UNKNOWN_HOST}/${path}`);
}

function peerOf(request: Request, sockets: Sockets): string {
  return addressIn(sockets?.requestIP(request)?.address ?? "");
}

/** "203.0.113.7:55123", "[2001:db8::1]:80" and "::ffff:203.0.113.7" → the address alone; "" where it is none. */
function addressIn(text: string): string {
  const bare = text.trim().replace(/^\[(.+)\](:\d+)?$/, "$1");
  const address = bare.replace(/^::ffff:(?=[\d.]+$)/i, "").replace(/^([\d.]+):\d+$/, "$1");
  return isIP(address) ? address : "";
}

const trusted = new WeakMap<Platen, BlockList>();

function isTrusted(platen: Platen, address: string): boolean {
  const list = trusted.get(platen) ?? listOf(["127.0.0.0/8", "::1", ...platen.config.trustProxy]);
  trusted.set(platen, list);
  return holds(list, address);
}
