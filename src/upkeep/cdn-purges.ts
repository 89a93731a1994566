import { asc, sql } from "drizzle-orm";
import { blogById, blogUrl } from "../blogs/blogs";
import type { Purge } from "../config/config";
import { SECOND } from "../config/units";
import { keepDataVersion } from "../database/change-counter";
import { deleteSetting, getSetting, saveSetting } from "../database/instance-settings";
import { deleteRows, prepared } from "../database/rows";
import { blogs, pageChanges } from "../database/schema";
import { waitForLock } from "../database/transactions";
import type { HttpClient } from "../outgoing/http-client";
import type { Platen } from "../platen";

const PURGE_TIMEOUT_MS = 30 * SECOND;

/**
 * At the start, all pages count as changed, because a new version may render them differently. A failed
 * request is retried on the webhooks' schedule.
 */
export function cdnPurges(platen: Platen, outgoing: HttpClient) {
  const { purge } = platen.config;
  const stopping = new AbortController();
  let purging: Promise<void> | null = null;
  let isFirst = true;
  let failures = 0;
  let nextAt = 0;

  async function sendPurge(to: Purge, hosts: string[]): Promise<void> {
    const failed = await requestPurge(platen, outgoing, to, hosts, stopping.signal);
    if (stopping.signal.aborted) return;
    if (failed !== null) {
      const { webhookRetry } = platen.config;
      nextAt = platen.now().getTime() + (webhookRetry[failures] ?? webhookRetry.at(-1) ?? 0);
      platen.log(`The purge of PLATEN_PURGE_URL failed and will be retried: ${failed}.`);
    }
    failures = failed === null ? 0 : failures + 1;
    await waitForLock(platen);
    keepDataVersion(platen, () => {
      // Places that changed again during the request stay.
      if (failed === null) deleteRows(platen, pageChanges, { isBeingTold: true });
      keepFailure(platen, failed);
    });
  }

  return {
    /**
     * Call this at most once a second.
     * @returns time of the next call in milliseconds since 1970; a write to the database causes an earlier
     * call
     */
    step(): number {
      if (stopping.signal.aborted) return Number.POSITIVE_INFINITY;
      if (purging || platen.now().getTime() < nextAt) return nextAt;
      if (isFirst) keepDataVersion(platen, () => (purge ? markAllBlogs(platen) : keepFailure(platen, null)));
      isFirst = false;
      const hosts = purge ? claimChangedHosts(platen) : [];
      if (!purge || hosts.length === 0) return Number.POSITIVE_INFINITY;
      purging = sendPurge(purge, hosts)
        .catch((error) => platen.log(`PLATEN_PURGE_URL: ${error instanceof Error ? error.message : error}`))
        .finally(() => {
          purging = null;
        });
      return nextAt;
    },
    settled: async () => void (await purging),
    async stop(): Promise<void> {
      stopping.abort();
      await purging;
    },
  };
}

const changedPlaces = prepared((db) =>
  db.select().from(pageChanges).orderBy(asc(pageChanges.place)).prepare(),
);

function markAllBlogs({ db }: Platen): void {
  db.run(sql`insert or ignore into ${pageChanges} (place) select id from ${blogs}`);
}

const FAILURE_SETTING = "purge_failing";

/** null unless the last purge failed. */
export function purgeFailure(platen: Platen): { since: Date; why: string } | null {
  const kept = getSetting(platen, FAILURE_SETTING);
  if (kept === undefined) return null;
  const { since, why } = JSON.parse(kept);
  return { since: new Date(since), why };
}

export function purgeStatus(platen: Platen): string[] {
  const failure = purgeFailure(platen);
  return failure ? [`purge failed: ${failure.why} (since ${failure.since.toISOString()})`] : [];
}

function keepFailure(platen: Platen, why: string | null): void {
  const known = purgeFailure(platen);
  if (why === (known?.why ?? null)) return;
  if (why === null) deleteSetting(platen, FAILURE_SETTING);
  else saveSetting(platen, FAILURE_SETTING, JSON.stringify({ since: known?.since ?? platen.now(), why }));
}

function claimChangedHosts(platen: Platen): string[] {
  const rows = changedPlaces(platen).all();
  if (rows.length === 0) return [];
  keepDataVersion(platen, () => platen.db.update(pageChanges).set({ isBeingTold: true }).run());
  return [...new Set(rows.map(({ place }) => placeHost(platen, place)))];
}

function placeHost(platen: Platen, place: string): string {
  if (place !== "" && !/^\d+$/.test(place)) return place;
  const blog = place === "" ? undefined : blogById(platen, Number(place));
  return new URL(blog ? blogUrl(platen, blog) : platen.config.url).host;
}

async function requestPurge(
  { config }: Platen,
  outgoing: HttpClient,
  { url, header }: Purge,
  hosts: string[],
  stop: AbortSignal,
): Promise<string | null> {
  const response = await outgoing.send({
    method: "POST",
    url,
    headers: {
      "content-type": "application/json",
      ...(header && { [header.name]: header.value }),
    },
    body: JSON.stringify({ hosts }),
    isForAdmin: true,
    within: Math.max(PURGE_TIMEOUT_MS, config.webhookTimeout),
    stop,
  });
  if ("failed" in response) return response.failed;
  response.close();
  return response.statusCode >= 200 && response.statusCode < 300 ? null : `status ${response.statusCode}`;
}
