import { isIPv6 } from "node:net";
import { throttled } from "../../errors";
import type { Platen } from "../../platen";
import type { Call } from "./call";
import { clientAddress } from "./client-address";

// Own code, because elysia-rate-limit and rate-limiter-flexible need the real clock.
/** Up to `most` attempts at once, then one per `within / most` milliseconds. Each Limit counts on its own. */
interface Limit {
  most: number;
  within: number;
}

/** Per limit. Beyond this number, the keys without attempts for the longest time are dropped. */
const MAX_KEYS = 100_000;

/** Leaky buckets: limit → key → time (ms) at which the key's bucket is empty, least recent attempt first. */
const buckets = new WeakMap<Platen, Map<Limit, Map<string, number>>>();

interface RateLimitSource {
  key: string;
  share: number;
}

/** @throws Refusal (throttled) if there were too many attempts; rejected attempts do not count */
export function throttle(platen: Platen, limit: Limit, key: string): void {
  countAttempt(platen, limit, [{ key, share: 1 }]);
}

/** @param about attempts are counted separately for each value. @throws Refusal (throttled) */
export function throttleClient(call: Call, limit: Limit, about = ""): void {
  const sources = rateLimitSources(call).map(({ key, share }) => ({ key: `${about} ${key}`, share }));
  countAttempt(call.platen, limit, sources);
}

/** Providers give a customer a /64 or a /48. Several customers may share a /48, so its limit is higher. */
function rateLimitSources(call: Call): RateLimitSource[] {
  const address = clientAddress(call);
  if (!isIPv6(address)) return [{ key: address, share: 1 }];
  const groups = ipv6Groups(address);
  return [
    { key: `${groups.slice(0, 4).join(":")}::/64`, share: 1 },
    { key: `${groups.slice(0, 3).join(":")}::/48`, share: 4 },
  ];
}

function ipv6Groups(address: string): string[] {
  const [head = "", tail] = address.split("::");
  const groups = head.split(":").filter(Boolean);
  const after = tail === undefined ? [] : tail.split(":").filter(Boolean);
  while (groups.length + after.length < 8) groups.push("0");
  return [...groups, ...after].map((group) => Number.parseInt(group, 16).toString(16));
}

function countAttempt(platen: Platen, limit: Limit, sources: RateLimitSource[]): void {
  const { most, within } = limit;
  const now = platen.now().getTime();
  const ofLimit = buckets
    .getOrInsertComputed(platen, () => new Map<Limit, Map<string, number>>())
    .getOrInsertComputed(limit, () => new Map<string, number>());
  const filled = sources.map(({ key, share }) => {
    const emptyAt = ofLimit.get(key) ?? now;
    // A later `emptyAt` means that the clock was set back.
    const start = emptyAt > now + within ? now : Math.max(now, emptyAt);
    return { key, emptyAt: start + within / most / share };
  });
  const wait = Math.max(...filled.map(({ emptyAt }) => Math.ceil((emptyAt - within - now) / 1000)));
  if (wait > 0) throw throttled(`Too many attempts. Try again in ${durationText(wait)}.`, wait);
  for (const { key, emptyAt } of filled) {
    ofLimit.delete(key);
    ofLimit.set(key, emptyAt);
  }
  for (const [key, emptyAt] of ofLimit) {
    if (emptyAt > now && ofLimit.size <= MAX_KEYS) return;
    ofLimit.delete(key);
  }
}

function durationText(seconds: number): string {
  if (seconds < 90) return seconds === 1 ? "1 second" : `${seconds} seconds`;
  return `${Math.ceil(seconds / 60)} minutes`;
}
