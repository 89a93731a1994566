import { type BlockList, isIP } from "node:net";
import { holds, listOf } from "../../ip-ranges";
import type { Platen } from "../../platen";
import { type Call, UNKNOWN_HOST } from "./call";

/**
 * The address of the client: the peer itself, or what trusted proxies say in X-Forwarded-For. Read from its end,
 * because every proxy adds to what the client may have made up. "" where there is no socket.
 */
export function clientAddress(call: Call): string {
  const hops = (call.request.headers.get("x-forwarded-for") ?? "").split(",").map(addressIn).filter(Boolean);
  let client = peerOf(call);
  while (isTrusted(call.platen, client) && hops.length > 0) client = hops.pop() as string;
  return client;
}

/** The host name the client asked for, in lower case and without port. */
export function requestHost(call: Call): string {
  return requestBase(call).hostname;
}

/** Scheme, host and port as the client has them in front of it; X-Forwarded-Host and -Proto count from trusted peers only. */
export function requestBase(call: Call): URL {
  const { platen, request, url } = call;
  const forwarded = isTrusted(platen, peerOf(call))
    ? (name: string) => request.headers.get(`x-forwarded-${name}`)?.split(",")[0]?.trim()
    : () => undefined;
  const scheme = forwarded("proto") === "https" ? "https" : url.protocol.slice(0, -1);
  return URL.parse(`${scheme}://${forwarded("host") || url.host}/`) ?? new URL(`http://${UNKNOWN_HOST}/`);
}

function peerOf({ request, sockets }: Call): string {
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
