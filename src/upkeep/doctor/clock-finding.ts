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

/** How far clocks may be apart: an answer takes its time, and says its own to the second. */
const APART = 5 * MINUTE;
const ANSWERS_WITHIN = 10 * SECOND;
/** Of all whom Platen knows. */
const MOST_ASKED = 8;

const about = "clock";
const KEEP_RIGHT = "let it be kept right: timedatectl set-ntp true";

/** What another machine's clock said. */
interface Witness {
  host: string;
  /** How far it is before this machine's, in milliseconds; negative: behind. */
  ahead: number;
}

/**
 * The clock beside those of whom Platen talks to anyway, by the Date of their answers; beside the folder's files, which
 * show one that was set back; and what the system knows of it.
 */
export async function clockFinding(platen: Platen): Promise<DoctorFinding> {
  const written = lastWritten(platen) - platen.now().getTime();
  if (written > APART)
    return {
      ...{ about, state: "fault", advice: `Set the clock, and ${KEEP_RIGHT}` },
      says: `${here(platen)} here, but the database was written ${Math.ceil(written / HOUR)} h after that.`,
    };
  const { own, others } = witnesses(platen);
  const [fronts, heard] = await Promise.all([ask(platen, own), ask(platen, others)]);
  const agreeing = heard.filter(({ ahead }) => Math.abs(ahead) <= APART);
  // A proxy on this machine agrees whatever the time is.
  const differing = [...fronts, ...heard].filter(({ ahead }) => Math.abs(ahead) > APART);
  const differs = differing.map(told).join(", ");
  const says = `${here(platen)}, and the folder's files agree`;
  if (agreeing.length > 0) {
    const hosts = agreeing.map(({ host }) => host).join(", ");
    return okFinding(about, `${says}; so does ${hosts}${differs && `, while ${differs}`}.`);
  }
  if (differing.length > 0)
    return {
      ...{ about, state: "fault" },
      says: `${here(platen)} here, but ${differs}.`,
      advice: `Look at a watch; if it is this machine's clock that is wrong, set it, and ${KEEP_RIGHT}`,
    };
  const isKept = isKeptRight();
  if (isKept === false)
    return {
      ...{ about, state: "look", advice: `L${KEEP_RIGHT.slice(1)}` },
      says: `${says}; nobody else could be asked, and nothing keeps it right.`,
    };
  return okFinding(
    about,
    `${says}; nobody else could be asked${isKept ? ", but the system keeps it right" : ""}.`,
  );
}

function here(platen: Platen): string {
  return `It is ${platen.now().toISOString()}`;
}

/** In milliseconds since 1970. */
function lastWritten({ config: { data } }: Platen): number {
  const times = ["platen.db", "platen.db-wal"].map(
    (name) => statSync(join(data, name), { throwIfNoEntry: false })?.mtimeMs ?? 0,
  );
  return Math.max(...times);
}

/** Addresses, one of each host that may be another machine. */
function witnesses(platen: Platen): { own: string[]; others: string[] } {
  const own = [platen.config.url, ...listBlogs(platen).map((blog) => blogUrl(platen, blog))];
  const others = [...listWebhooks(platen).map(({ url }) => url), platen.config.purge?.url ?? ""];
  const seen = new Set<string>();
  const distinct = (addresses: string[]) =>
    addresses
      .flatMap((address) => URL.parse(address)?.origin ?? [])
      .filter((origin) => !isLoopbackHost(new URL(origin).hostname))
      .filter((origin) => !seen.has(origin) && seen.add(origin))
      .slice(0, MOST_ASKED);
  return { own: distinct(own), others: distinct(others) };
}

/** Nothing is said to them but that they are asked for their first page. */
async function ask(platen: Platen, origins: string[]): Promise<Witness[]> {
  const client = guardedClient(platen.config);
  const asked = origins.map(async (origin): Promise<Witness[]> => {
    const before = platen.now().getTime();
    const answer = await client.send({
      ...{ method: "GET", url: `${origin}/`, within: ANSWERS_WITHIN, isForAdmin: true },
    });
    if ("failed" in answer) return [];
    answer.close();
    const there = Date.parse(answer.headers.date ?? "");
    const now = (before + platen.now().getTime()) / 2;
    return Number.isNaN(there) ? [] : [{ host: new URL(origin).host, ahead: there - now }];
  });
  return (await Promise.all(asked)).flat();
}

/** "it is 3 h earlier at hooks.example.com" */
function told({ host, ahead }: Witness): string {
  const minutes = Math.round(Math.abs(ahead) / MINUTE);
  const apart = minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
  return `it is ${apart} ${ahead > 0 ? "later" : "earlier"} at ${host}`;
}

/** Whether something sets the clock by others', as Linux knows it (adjtimex); null where that cannot be known. */
function isKeptRight(): boolean | null {
  const NOBODY_DOES = 5;
  try {
    // struct timex: 208 bytes, of which the first four say what to change: nothing.
    const state = dlopen("libc.so.6", {
      adjtimex: { args: ["ptr"], returns: "i32" },
    }).symbols.adjtimex(ptr(new Uint8Array(256)));
    return state < 0 ? null : state !== NOBODY_DOES;
  } catch {
    return null;
  }
}
