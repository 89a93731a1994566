import { asc, eq, sql } from "drizzle-orm";
import { blogById } from "../../blogs/blogs";
import { blogUrl } from "../../blogs/permalinks";
import type { Purge } from "../../config/setting-values";
import { SECOND } from "../../config/units";
import { keepDataVersion } from "../../database/data-version";
import { deleteSetting, getSetting, saveSetting } from "../../database/instance-settings";
import { prepared } from "../../database/prepared";
import { blogs, pageChanges } from "../../database/schema";
import { waitForLock } from "../../database/transactions";
import type { HttpClient } from "../../outgoing/http-client";
import type { Platen } from "../../platen";
import { version } from "../../version";

/** For one request. */
const ANSWERED_WITHIN = 30 * SECOND;

interface PagePurges {
  /**
   * To be called once a second at most: tells the caches of what has changed since, unless they are being told.
   * @returns when it is to be called again though nothing is written, in milliseconds since 1970
   */
  step(): number;
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
export function cdnPurges(platen: Platen, outgoing: HttpClient): PagePurges {
  const { purge } = platen.config;
  const stopping = new AbortController();
  let telling: Promise<void> | null = null;
  let isFirst = true;
  let failures = 0;
  let nextAt = 0;

  async function tell(to: Purge, hosts: string[]): Promise<void> {
    const failed = await sent(platen, outgoing, to, hosts, stopping.signal);
    if (stopping.signal.aborted) return;
    if (failed !== null) {
      const { webhookRetry } = platen.config;
      nextAt = platen.now().getTime() + (webhookRetry[failures] ?? webhookRetry.at(-1) ?? 0);
      platen.log(`PLATEN_PURGE_URL: ${failed}; it is asked again.`);
    }
    failures = failed === null ? 0 : failures + 1;
    await waitForLock(platen);
    keepDataVersion(platen, () => {
      if (failed === null) forgetTold(platen);
      keepFailure(platen, failed);
    });
  }

  return {
    step() {
      if (stopping.signal.aborted) return Number.POSITIVE_INFINITY;
      if (telling || platen.now().getTime() < nextAt) return nextAt;
      if (isFirst) keepDataVersion(platen, () => (purge ? markAll(platen) : keepFailure(platen, null)));
      isFirst = false;
      const hosts = purge ? hostsToTell(platen) : [];
      if (!purge || hosts.length === 0) return Number.POSITIVE_INFINITY;
      telling = tell(purge, hosts)
        .catch((fault) => platen.log(`PLATEN_PURGE_URL: ${fault instanceof Error ? fault.message : fault}`))
        .finally(() => {
          telling = null;
        });
      return nextAt;
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

/** Caches that show what pages were. */
interface PurgeFailure {
  since: Date;
  /** What went wrong the last time, to follow a colon. */
  why: string;
}

const NAME = "purge_failing";

/** Of whichever process tells them; null: they know of all changes, or will in a second. */
export function purgeFailure(platen: Platen): PurgeFailure | null {
  const kept = getSetting(platen, NAME);
  if (kept === undefined) return null;
  const { since, why } = JSON.parse(kept);
  return { since: new Date(since), why };
}

/** In lines for the operator: `name: what`. */
export function purgeStatus(platen: Platen): string[] {
  const failure = purgeFailure(platen);
  return failure ? [`purge failed: ${failure.why} (since ${failure.since.toISOString()})`] : [];
}

/** @param why null: it went well */
function keepFailure(platen: Platen, why: string | null): void {
  const known = purgeFailure(platen);
  if (why === known?.why || (why === null && known === null)) return;
  const failure: PurgeFailure | null = why === null ? null : { since: known?.since ?? platen.now(), why };
  if (failure) saveSetting(platen, NAME, JSON.stringify(failure));
  else deleteSetting(platen, NAME);
}

/** But for what has changed meanwhile. */
function forgetTold({ db }: Platen): void {
  db.delete(pageChanges).where(eq(pageChanges.isBeingTold, true)).run();
}

/** What changes from now on is told by the next request. */
function hostsToTell(platen: Platen): string[] {
  const rows = changed(platen).all();
  if (rows.length === 0) return [];
  keepDataVersion(platen, () => platen.db.update(pageChanges).set({ isBeingTold: true }).run());
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
