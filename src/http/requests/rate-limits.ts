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

/** Platen → key → when all attempts so far are paid off, each costing `within / most` milliseconds. */
const debts = new WeakMap<Platen, Map<string, number>>();

/** Counts one attempt. @throws Refusal (throttled) where there were too many; a refused one does not count. */
export function throttle(platen: Platen, { key, most, within }: Limit): void {
  const now = platen.now().getTime();
  const known = debts.get(platen) ?? new Map<string, number>();
  debts.set(platen, known);
  // Kept as a hash: what strangers send may be long, and the memory is to stay bounded.
  const name = new Bun.CryptoHasher("sha256").update(key).digest("base64url");
  const paidAt = Math.max(known.get(name) ?? 0, now) + within / most;
  const wait = Math.ceil((paidAt - within - now) / 1000);
  if (wait > 0) throw throttled(`Too many attempts. Try again in ${wordsFor(wait)}.`, wait);
  known.delete(name);
  known.set(name, paidAt);
  if (known.size > MOST_KEYS) known.delete(known.keys().next().value as string);
}

/** Counts one attempt at something by whoever calls. @throws Refusal (throttled) */
export function throttleClient(call: Call, what: string, limit: Omit<Limit, "key">): void {
  throttle(call.platen, { key: `${what} ${sourceOf(clientAddress(call))}`, ...limit });
}

/** What attempts from this address are counted under. */
export function sourceOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = "", tail] = address.split("::");
  const groups = head.split(":").filter(Boolean);
  const after = tail === undefined ? [] : tail.split(":").filter(Boolean);
  while (groups.length + after.length < 8) groups.push("0");
  return [...groups, ...after].slice(0, IPV6_GROUPS_COUNTED).join(":");
}

function wordsFor(seconds: number): string {
  if (seconds < 90) return seconds === 1 ? "1 second" : `${seconds} seconds`;
  return `${Math.ceil(seconds / 60)} minutes`;
}
