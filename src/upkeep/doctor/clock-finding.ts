import { statSync } from "node:fs";
import { join } from "node:path";
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
const ADVICE =
  "If this machine's clock is wrong, set it, and turn on time synchronization: timedatectl set-ntp true";

interface OtherClock {
  host: string;
  /** How far the host is ahead of this machine's clock, in milliseconds. */
  ahead: number;
}

/** Compares the clock with the Date headers of webhooks' hosts and with the modification times of the database. */
export async function clockFinding(platen: Platen): Promise<DoctorFinding> {
  const here = `It is ${platen.now().toISOString()}`;
  const written = lastWritten(platen) - platen.now().getTime();
  if (written > MAX_DIFFERENCE_MS)
    return {
      ...{ about, state: "fault", advice: ADVICE },
      says: `${here} here, but the database was written ${Math.ceil(written / HOUR)} h after that.`,
    };
  const clocks = await otherClocks(platen);
  const isNear = ({ ahead }: OtherClock) => Math.abs(ahead) <= MAX_DIFFERENCE_MS;
  const differing = clocks
    .filter((clock) => !isNear(clock))
    .map(describeClock)
    .join(", ");
  const agreeing = clocks
    .filter(isNear)
    .map(({ host }) => host)
    .join(", ");
  if (differing && !agreeing)
    return { about, state: "fault", says: `${here} here, but ${differing}.`, advice: ADVICE };
  const others = agreeing ? `so does ${agreeing}` : "no other clock could be compared";
  return okFinding(
    about,
    `${here}, and the folder's files agree; ${others}${differing && `, while ${differing}`}.`,
  );
}

/** Time of the last write to the database, in milliseconds since 1970. */
function lastWritten({ config: { data } }: Platen): number {
  const times = ["platen.db", "platen.db-wal"].map(
    (name) => statSync(join(data, name), { throwIfNoEntry: false })?.mtimeMs ?? 0,
  );
  return Math.max(...times);
}

/** The blogs' own addresses are not asked, because a proxy on this machine has the same clock. */
async function otherClocks(platen: Platen): Promise<OtherClock[]> {
  const urls = [...listWebhooks(platen).map(({ url }) => url), platen.config.purge?.url ?? ""];
  const origins = new Set(urls.flatMap((url) => URL.parse(url)?.origin ?? []));
  const others = [...origins].filter((origin) => !isLoopbackHost(new URL(origin).hostname));
  const client = guardedClient(platen.config);
  const asked = others.slice(0, MAX_HOSTS).map(async (origin): Promise<OtherClock[]> => {
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
function describeClock({ host, ahead }: OtherClock): string {
  const minutes = Math.round(Math.abs(ahead) / MINUTE);
  const apart = minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
  return `it is ${apart} ${ahead > 0 ? "later" : "earlier"} at ${host}`;
}
