import { isIPv6 } from "node:net";
import { throttled } from "../../errors";
import type { Platen } from "../../platen";
import type { Call } from "./call";
import { clientAddress } from "./client-address";

/** Keys remembered at once; the one unused for longest is forgotten first. */
const MOST_KEYS = 10_000;
/** An IPv6 subscriber has a whole /64 to come from. */
const IPV6_GROUPS_COUNTED = 4;

export interface Limit {
  /** Who, at what: `sign-in 203.0.113.7`. */
  key: string;
  /** Attempts. */
  most: number;
  /** Milliseconds in which `most` attempts may be made at once, or spread. */
  within: number;
}

/**
 * Leaky buckets: Platen → key → when its bucket is empty again. A bucket holds `within` milliseconds, and each attempt
 * puts `within / most` into it.
 */
const emptyAt = new WeakMap<Platen, Map<string, number>>();

/** Counts one attempt. @throws Refusal (throttled) where there were too many; a refused one does not count. */
export function throttle(platen: Platen, { key, most, within }: Limit): void {
  const now = platen.now().getTime();
  const known = emptyAt.get(platen) ?? new Map<string, number>();
  emptyAt.set(platen, known);
  // Kept as a hash: what strangers send may be long, and the memory is to stay bounded.
  const name = new Bun.CryptoHasher("sha256").update(key).digest("base64url");
  const empty = Math.max(known.get(name) ?? 0, now) + within / most;
  const wait = Math.ceil((empty - within - now) / 1000);
  if (wait > 0) throw throttled(`Too many attempts. Try again in ${inWords(wait)}.`, wait);
  known.delete(name);
  known.set(name, empty);
  if (known.size > MOST_KEYS) known.delete(known.keys().next().value as string);
}

/** Counts one attempt at something by whoever calls. @throws Refusal (throttled) */
export function throttleClient(call: Call, what: string, limit: Omit<Limit, "key">): void {
  throttle(call.platen, { key: `${what} ${throttledSource(clientAddress(call))}`, ...limit });
}

/** What attempts from this address are counted under. */
export function throttledSource(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = "", tail] = address.split("::");
  const groups = head.split(":").filter(Boolean);
  const after = tail === undefined ? [] : tail.split(":").filter(Boolean);
  while (groups.length + after.length < 8) groups.push("0");
  return [...groups, ...after].slice(0, IPV6_GROUPS_COUNTED).join(":");
}

function inWords(seconds: number): string {
  if (seconds < 90) return seconds === 1 ? "1 second" : `${seconds} seconds`;
  return `${Math.ceil(seconds / 60)} minutes`;
}
