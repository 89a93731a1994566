import { isIPv6 } from "node:net";
import { throttled } from "../../errors";
import type { Platen } from "../../platen";
import { counted } from "../../text/numbers";
import type { Call } from "./call";
import { clientAddress } from "./client-address";

// Own code, because elysia-rate-limit and rate-limiter-flexible store unlimited keys and need the real clock.
/** `most` attempts within `within` milliseconds. Each limit has its own table. */
interface Limit {
  most: number;
  within: number;
}

/**
 * Leaky buckets in fixed memory (half a megabyte). Each attempt adds `within / most` to a bucket, and is rejected if
 * the bucket is full.
 */
interface BucketTable {
  /** The time at which each bucket will be empty. */
  emptyAt: Float64Array;
  /** Hashed with the key, so that a client cannot choose the buckets of others. */
  secret: string;
}

const BUCKETS = 65_536;

const bucketTables = new WeakMap<Platen, Map<Limit, BucketTable>>();

interface RateLimitSource {
  key: string;
  /** Factor by which the limit is multiplied. */
  share: number;
}

/** Counts one attempt. @throws Refusal (throttled) if there were too many; rejected attempts do not count */
export function throttle(platen: Platen, limit: Limit, key: string): void {
  countAttempt(platen, limit, [{ key, share: 1 }]);
}

/**
 * Counts one attempt by the client's IP address.
 * @param about counts each of these separately
 * @throws Refusal (throttled)
 */
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

/** The eight groups of an IPv6 address, without leading zeros. */
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
  const tables = bucketTables.getOrInsertComputed(platen, () => new Map<Limit, BucketTable>());
  const { emptyAt, secret } = tables.getOrInsertComputed(limit, () => ({
    emptyAt: new Float64Array(BUCKETS),
    secret: crypto.randomUUID(),
  }));
  const filled = sources.map(({ key, share }) => {
    const hash = new Bun.CryptoHasher("sha256").update(`${secret} ${key}`).digest();
    const bucket = hash.readUInt32LE() % BUCKETS;
    const before = emptyAt[bucket] as number;
    // A bucket is too full here only if the clock was set back.
    const start = before > now + within ? now : Math.max(now, before);
    return { bucket, until: start + within / most / share };
  });
  const wait = Math.max(...filled.map(({ until }) => Math.ceil((until - within - now) / 1000)));
  const words = wait < 90 ? counted(wait, "second") : counted(Math.ceil(wait / 60), "minute");
  if (wait > 0) throw throttled(`Too many attempts. Try again in ${words}.`, wait);
  for (const { bucket, until } of filled) emptyAt[bucket] = until;
}
