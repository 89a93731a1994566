import { asc, eq, sql } from "drizzle-orm";
import { blogById } from "../../blogs/blogs";
import { blogUrl } from "../../blogs/permalinks";
import type { Purge } from "../../config";
import { keepingDataVersion } from "../../database/data-version";
import { prepared } from "../../database/prepared";
import { blogs, pageChanges } from "../../database/schema";
import type { HttpClient } from "../../outgoing/http-client";
import type { Platen } from "../../platen";
import { version } from "../../version";

const SECOND = 1000;
/** For one request. */
const ANSWERED_WITHIN = 30 * SECOND;

export interface PagePurges {
  /** To be called once a second at most: tells the caches of what has changed since, unless they are being told. */
  step(): void;
  /** Until what was begun is over. */
  settled(): Promise<void>;
  /** Begins nothing more; what does not end is told by the next run. */
  stop(): Promise<void>;
}

/**
 * Tells whoever keeps pages (PLATEN_PURGE_URL) that pages have changed: one request for all that changed since the last. At
 * the start all pages count as changed, for they are made by a new version maybe. One that fails is repeated after the waits of
 * webhooks, together with what has changed meanwhile.
 */
export function pagePurges(platen: Platen, outgoing: HttpClient): PagePurges {
  const { purge } = platen.config;
  const stopping = new AbortController();
  let telling: Promise<void> | null = null;
  let isFirst = true;
  let failures = 0;
  let nextAt = 0;

  async function tell(to: Purge, hosts: string[]): Promise<void> {
    const failed = await sent(platen, outgoing, to, hosts, stopping.signal);
    if (failed === null) keepingDataVersion(platen, () => forgetTold(platen));
    if (failed === null) failures = 0;
    else {
      const { webhookRetry } = platen.config;
      nextAt = platen.now().getTime() + (webhookRetry[failures] ?? webhookRetry.at(-1) ?? 0);
      failures++;
      platen.log(`PLATEN_PURGE_URL: ${failed}; it is asked again.`);
    }
  }

  return {
    step() {
      if (!purge || telling || stopping.signal.aborted || platen.now().getTime() < nextAt) return;
      if (isFirst) keepingDataVersion(platen, () => markAll(platen));
      isFirst = false;
      const hosts = hostsToTell(platen);
      if (hosts.length === 0) return;
      telling = tell(purge, hosts)
        .catch((fault) => platen.log(`PLATEN_PURGE_URL: ${fault instanceof Error ? fault.message : fault}`))
        .finally(() => {
          telling = null;
        });
    },
    async settled() {
      await telling;
    },
    async stop() {
      stopping.abort();
      await telling;
    },
  };
}

const changed = prepared((db) => db.select().from(pageChanges).orderBy(asc(pageChanges.place)).prepare());

function markAll({ db }: Platen): void {
  db.run(sql`insert or ignore into ${pageChanges} (place) select id from ${blogs}`);
}

/** But for what has changed meanwhile. */
function forgetTold({ db }: Platen): void {
  db.delete(pageChanges).where(eq(pageChanges.isBeingTold, true)).run();
}

/** What changes from now on is told by the next request. */
function hostsToTell(platen: Platen): string[] {
  const rows = changed(platen).all();
  if (rows.length === 0) return [];
  keepingDataVersion(platen, () => platen.db.update(pageChanges).set({ isBeingTold: true }).run());
  return [...new Set(rows.map(({ place }) => hostOf(platen, place)))];
}

function hostOf(platen: Platen, place: string): string {
  if (place !== "" && !/^\d+$/.test(place)) return place;
  const blog = place === "" ? undefined : blogById(platen, Number(place));
  return new URL(blog ? blogUrl(platen, blog) : platen.config.url).host;
}

/** @returns what went wrong; null: nothing did */
async function sent(
  { config }: Platen,
  outgoing: HttpClient,
  { url, header }: Purge,
  hosts: string[],
  stop: AbortSignal,
): Promise<string | null> {
  const answer = await outgoing.send({
    method: "POST",
    url,
    headers: {
      "content-type": "application/json",
      "user-agent": `Platen/${version}`,
      ...(header && { [header.name]: header.value }),
    },
    body: JSON.stringify({ hosts }),
    isForAdmin: true,
    within: Math.max(ANSWERED_WITHIN, config.webhookTimeout),
    stop,
  });
  if ("failed" in answer) return answer.failed;
  answer.close();
  return answer.answered >= 200 && answer.answered < 300 ? null : `it answered ${answer.answered}`;
}
