import { dlopen, ptr } from "bun:ffi";
import { statSync } from "node:fs";
import { join } from "node:path";
import { listBlogs } from "../../blogs/blogs";
import { blogUrl } from "../../blogs/permalinks";
import { isLoopbackHost } from "../../config/ip-ranges";
import { HOUR, MINUTE, SECOND } from "../../config/units";
import { guardedClient } from "../../outgoing/guarded-client";
import type { Platen } from "../../platen";
import { listWebhooks } from "../../webhooks/webhook-urls";
import { type DoctorFinding, okFinding } from "./doctor-finding";

const MAX_DIFFERENCE_MS = 5 * MINUTE;
const TIMEOUT_MS = 10 * SECOND;
const MAX_HOSTS = 8;

const about = "clock";
const KEEP_RIGHT = "turn on time synchronization: timedatectl set-ntp true";

interface Witness {
  host: string;
  /** How far the host is ahead of this machine's clock, in milliseconds. */
  ahead: number;
}

/**
 * Compares the clock with the Date headers of known hosts and with the modification times of the database.
 * Also asks the system whether its clock is synchronized.
 */
export async function clockFinding(platen: Platen): Promise<DoctorFinding> {
  const written = lastWritten(platen) - platen.now().getTime();
  if (written > MAX_DIFFERENCE_MS)
    return {
      ...{ about, state: "fault", advice: `Set the clock, and ${KEEP_RIGHT}` },
      says: `${here(platen)} here, but the database was written ${Math.ceil(written / HOUR)} h after that.`,
    };
  const { own, others } = witnesses(platen);
  const [fronts, heard] = await Promise.all([ask(platen, own), ask(platen, others)]);
  const agreeing = heard.filter(({ ahead }) => Math.abs(ahead) <= MAX_DIFFERENCE_MS);
  // A proxy on this machine has the same clock, so its agreement proves nothing.
  const differing = [...fronts, ...heard].filter(({ ahead }) => Math.abs(ahead) > MAX_DIFFERENCE_MS);
  const differs = differing.map(describeWitness).join(", ");
  const says = `${here(platen)}, and the folder's files agree`;
  if (agreeing.length > 0) {
    const hosts = agreeing.map(({ host }) => host).join(", ");
    return okFinding(about, `${says}; so does ${hosts}${differs && `, while ${differs}`}.`);
  }
  if (differing.length > 0)
    return {
      ...{ about, state: "fault" },
      says: `${here(platen)} here, but ${differs}.`,
      advice: `If this machine's clock is wrong, set it, and ${KEEP_RIGHT}`,
    };
  const isKept = isSynchronized();
  if (isKept === false)
    return {
      ...{ about, state: "look", advice: `T${KEEP_RIGHT.slice(1)}` },
      says: `${says}; no other clock could be compared, and it is not synchronized.`,
    };
  return okFinding(
    about,
    `${says}; no other clock could be compared${isKept ? ", but the system synchronizes it" : ""}.`,
  );
}

function here(platen: Platen): string {
  return `It is ${platen.now().toISOString()}`;
}

/** Time of the last write to the database, in milliseconds since 1970. */
function lastWritten({ config: { data } }: Platen): number {
  const times = ["platen.db", "platen.db-wal"].map(
    (name) => statSync(join(data, name), { throwIfNoEntry: false })?.mtimeMs ?? 0,
  );
  return Math.max(...times);
}

/** One URL for each host that may be another machine. */
function witnesses(platen: Platen): { own: string[]; others: string[] } {
  const own = [platen.config.url, ...listBlogs(platen).map((blog) => blogUrl(platen, blog))];
  const others = [...listWebhooks(platen).map(({ url }) => url), platen.config.purge?.url ?? ""];
  const seen = new Set<string>();
  const distinct = (addresses: string[]) =>
    addresses
      .flatMap((address) => URL.parse(address)?.origin ?? [])
      .filter((origin) => !isLoopbackHost(new URL(origin).hostname))
      .filter((origin) => !seen.has(origin) && seen.add(origin))
      .slice(0, MAX_HOSTS);
  return { own: distinct(own), others: distinct(others) };
}

async function ask(platen: Platen, origins: string[]): Promise<Witness[]> {
  const client = guardedClient(platen.config);
  const asked = origins.map(async (origin): Promise<Witness[]> => {
    const before = platen.now().getTime();
    const answer = await client.send({
      ...{ method: "GET", url: `${origin}/`, within: TIMEOUT_MS, isForAdmin: true },
    });
    if ("failed" in answer) return [];
    answer.close();
    const there = Date.parse(answer.headers.date ?? "");
    const now = (before + platen.now().getTime()) / 2;
    return Number.isNaN(there) ? [] : [{ host: new URL(origin).host, ahead: there - now }];
  });
  return (await Promise.all(asked)).flat();
}

/** Formats a difference: "it is 3 h earlier at hooks.example.com". */
function describeWitness({ host, ahead }: Witness): string {
  const minutes = Math.round(Math.abs(ahead) / MINUTE);
  const apart = minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
  return `it is ${apart} ${ahead > 0 ? "later" : "earlier"} at ${host}`;
}

/** Whether Linux reports a synchronized clock (adjtimex); null: unknown. */
function isSynchronized(): boolean | null {
  const TIME_ERROR = 5;
  try {
    // struct timex: 208 bytes; all zero changes nothing.
    const state = dlopen("libc.so.6", {
      adjtimex: { args: ["ptr"], returns: "i32" },
    }).symbols.adjtimex(ptr(new Uint8Array(256)));
    return state < 0 ? null : state !== TIME_ERROR;
  } catch {
    return null;
  }
}
