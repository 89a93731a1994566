import { isIPv6 } from "node:net";
import { throttled } from "../../errors";
import type { Platen } from "../../platen";
import type { Call } from "./call";
import { clientAddress } from "./client-address";

// Own code, because elysia-rate-limit and rate-limiter-flexible store unlimited keys and need the real clock.
/** `most` attempts within `within` milliseconds. Each limit has its own table. */
interface Limit {
  most: number;
  within: number;
}

/**
 * Leaky buckets in fixed memory (half a megabyte), as a count-min sketch. Each attempt adds `within / most` to one
 * bucket in each row. An attempt is rejected if its buckets in both rows are full. A bucket stores the time at
 * which it will be empty.
 */
interface BucketTable {
  rows: Float64Array[];
  /** Hashed with the key, so that a client cannot choose the buckets of others. */
  secret: string;
}

const BUCKET_ROWS = 2;
const BUCKETS_PER_ROW = 32_768;

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
 * @param about attempts are counted separately for each value
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
  const table = bucketTable(platen, limit);
  const filled = sources.map(({ key, share }) => {
    const places = bucketsFor(table, key);
    // A bucket is too full here only if the clock was set back.
    for (const { row, at } of places) if ((row[at] as number) > now + within) row[at] = 0;
    const emptyAt = Math.max(now, Math.min(...places.map(({ row, at }) => row[at] as number)));
    return { places, emptyAt: emptyAt + within / most / share };
  });
  const wait = Math.max(...filled.map(({ emptyAt }) => Math.ceil((emptyAt - within - now) / 1000)));
  if (wait > 0) throw throttled(`Too many attempts. Try again in ${durationText(wait)}.`, wait);
  for (const { places, emptyAt } of filled)
    for (const { row, at } of places) row[at] = Math.max(row[at] as number, emptyAt);
}

function bucketTable(platen: Platen, limit: Limit): BucketTable {
  const tables = bucketTables.getOrInsertComputed(platen, () => new Map<Limit, BucketTable>());
  return tables.getOrInsertComputed(limit, () => ({
    rows: Array.from({ length: BUCKET_ROWS }, () => new Float64Array(BUCKETS_PER_ROW)),
    secret: crypto.randomUUID(),
  }));
}

function bucketsFor({ rows, secret }: BucketTable, key: string): { row: Float64Array; at: number }[] {
  const hash = new Bun.CryptoHasher("sha256").update(`${secret} ${key}`).digest();
  return rows.map((row, at) => ({ row, at: hash.readUInt32LE(4 * at) % BUCKETS_PER_ROW }));
}

function durationText(seconds: number): string {
  if (seconds < 90) return seconds === 1 ? "1 second" : `${seconds} seconds`;
  return `${Math.ceil(seconds / 60)} minutes`;
}
