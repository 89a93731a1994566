import { isIPv6 } from "node:net";
import { throttled } from "../../errors";
import type { Platen } from "../../platen";
import type { Call } from "./call";
import { clientAddress } from "./client-address";

/** What may be tried how often. Each one has a table of its own: no other tries fill it. */
interface Limit {
  /** Attempts. */
  most: number;
  /** Milliseconds in which `most` attempts may be made at once, or spread. */
  within: number;
}

/**
 * When each bucket is empty again. A bucket holds `within` milliseconds, and each attempt puts `within / most` into it.
 * Whoever tries has one in each row, found by hash, perhaps together with others, and is refused when both are full.
 * So the memory is fixed, half a megabyte a table, and nobody's attempts are forgotten before they are paid off, however
 * many others try. The price: a crowd that has used up all of its tries shuts out newcomers who share both buckets with
 * some of it: one in 1,100 at 1,000 addresses, one in 14 at 10,000.
 */
interface Table {
  rows: Float64Array[];
  /** Nobody outside can choose to share another's buckets. */
  secret: string;
}

const ROWS = 2;
/** A power of two. */
const BUCKETS_IN_A_ROW = 32_768;

const tables = new WeakMap<Platen, Map<Limit, Table>>();

/** Whom it counts against. */
export interface Source {
  /** Of any length: only its hash is looked at. */
  key: string;
  /** How many times as much as one of the limit may come from there. */
  share: number;
}

/** Counts one attempt. @throws Refusal (throttled) where there were too many; a refused one does not count. */
export function throttle(platen: Platen, limit: Limit, key: string): void {
  count(platen, limit, [{ key, share: 1 }]);
}

/** Counts one attempt by whoever calls. @throws Refusal (throttled) */
export function throttleClient(call: Call, limit: Limit): void {
  count(call.platen, limit, rateLimitSources(call));
}

/** An IPv6 subscriber has a /64 to come from, many a whole /48, in which others may live too. */
export function rateLimitSources(call: Call): Source[] {
  const address = clientAddress(call);
  if (!isIPv6(address)) return [{ key: address, share: 1 }];
  const groups = groupsOf(address);
  return [
    { key: `${groups.slice(0, 4).join(":")}::/64`, share: 1 },
    { key: `${groups.slice(0, 3).join(":")}::/48`, share: 4 },
  ];
}

/** The eight groups of four digits, spelled in one way. */
function groupsOf(address: string): string[] {
  const [head = "", tail] = address.split("::");
  const groups = head.split(":").filter(Boolean);
  const after = tail === undefined ? [] : tail.split(":").filter(Boolean);
  while (groups.length + after.length < 8) groups.push("0");
  return [...groups, ...after].map((group) => Number.parseInt(group, 16).toString(16));
}

function count(platen: Platen, limit: Limit, sources: Source[]): void {
  const { most, within } = limit;
  const now = platen.now().getTime();
  const table = tableOf(platen, limit);
  const filled = sources.map(({ key, share }) => {
    const places = placesIn(table, key);
    // A bucket that would be fuller than full was filled before the clock was set back.
    for (const { row, at } of places) if ((row[at] as number) > now + within) row[at] = 0;
    const emptyAt = Math.max(now, Math.min(...places.map(({ row, at }) => row[at] as number)));
    return { places, emptyAt: emptyAt + within / most / share };
  });
  const wait = Math.max(...filled.map(({ emptyAt }) => Math.ceil((emptyAt - within - now) / 1000)));
  if (wait > 0) throw throttled(`Too many attempts. Try again in ${inWords(wait)}.`, wait);
  for (const { places, emptyAt } of filled)
    for (const { row, at } of places) row[at] = Math.max(row[at] as number, emptyAt);
}

function tableOf(platen: Platen, limit: Limit): Table {
  const known = tables.getOrInsertComputed(platen, () => new Map<Limit, Table>());
  return known.getOrInsertComputed(limit, () => ({
    rows: Array.from({ length: ROWS }, () => new Float64Array(BUCKETS_IN_A_ROW)),
    secret: crypto.randomUUID(),
  }));
}

function placesIn({ rows, secret }: Table, key: string): { row: Float64Array; at: number }[] {
  const hash = new Bun.CryptoHasher("sha256").update(`${secret} ${key}`).digest();
  return rows.map((row, at) => ({ row, at: hash.readUInt32LE(4 * at) % BUCKETS_IN_A_ROW }));
}

function inWords(seconds: number): string {
  if (seconds < 90) return seconds === 1 ? "1 second" : `${seconds} seconds`;
  return `${Math.ceil(seconds / 60)} minutes`;
}
