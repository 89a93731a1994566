import { blogById } from "../../src/blogs/blogs";
import { readSettings } from "../../src/config/config";
import { closeDatabase, openDatabase } from "../../src/database/open";
import { inTransaction } from "../../src/database/transactions";
import type { Platen } from "../../src/platen";
import { recordWebhookEvent } from "../../src/webhooks/webhook-events";
import { runToEnd } from "../../test/support/program";
import { median } from "../statistics";
import { runLoad } from "./load";
import { type Extent, openStage, type Stage } from "./stage";

export interface WebhookFigures {
  /** Deliveries per second to one URL, without other requests. */
  rate: number;
  /** Deliveries per second while 16 connections read a page. */
  rateMeanwhile: number;
  /** Milliseconds, without and with pending deliveries. */
  p99: { before: number; meanwhile: number };
}

const EVENTS = 4000;
/** More deliveries than are sent during the load, but few enough to be sent soon after. */
const EVENTS_A_TURN = 4000;
const TURNS_A_ROUND = 3;
/** Milliseconds: wait after the load, and maximum time for counting deliveries. */
const QUIET_FOR = 1000;
const COUNTED_FOR = 4000;
const CONNECTIONS = 16;

export async function measureWebhooks(corpora: string, extent: Extent): Promise<WebhookFigures> {
  let received = 0;
  using receiver = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch() {
      received++;
      return new Response();
    },
  });
  await using stage = await openStage(corpora, extent.small);
  const url = `http://127.0.0.1:${receiver.port}/`;
  const add = ["webhook", "add", "--blog", "slow-water", url, "--data", stage.data];
  const added = await runToEnd([stage.executable, ...add], { env: { PLATEN_PRIVATE_HOSTS: "127.0.0.1" } });
  if (added.code !== 0) throw new Error(added.stderr);
  const loadPage = () => runLoad(stage, { path: "/" }, { connections: CONNECTIONS, seconds: extent.seconds });
  await loadPage();
  await Bun.sleep(QUIET_FOR);
  const [count, inTurn] = [EVENTS, EVENTS_A_TURN].map((events) => Math.ceil(events * extent.share)) as [
    number,
    number,
  ];
  insertEvents(stage, count);
  await until(() => received > 0);
  const began = performance.now();
  while (received < count && performance.now() - began < COUNTED_FOR) await Bun.sleep(1);
  const rate = ((received - 1) / (performance.now() - began)) * 1000;
  // Alternate, because the p99 of the machine varies by a factor of two.
  const [before, meanwhile, rates]: [number[], number[], number[]] = [[], [], []];
  while (before.length < TURNS_A_ROUND * extent.rounds) {
    await until(() => received >= count + before.length * inTurn);
    await loadPage();
    before.push((await loadPage()).p99);
    insertEvents(stage, inTurn);
    // Not measured, because the page is rendered again after the insert.
    await loadPage();
    const [heardBefore, pressedFrom] = [received, performance.now()];
    meanwhile.push((await loadPage()).p99);
    rates.push(((received - heardBefore) / (performance.now() - pressedFrom)) * 1000);
  }
  return {
    rate,
    rateMeanwhile: median(rates),
    p99: { before: median(before), meanwhile: median(meanwhile) },
  };
}

async function until(isThere: () => boolean): Promise<void> {
  while (!isThere()) await Bun.sleep(1);
}

function insertEvents({ data, url }: Stage, count: number): void {
  const platen: Platen = {
    config: { ...readSettings({ data }, {}), url },
    db: openDatabase(data),
    now: () => new Date(),
    log: console.error,
  };
  const blog = blogById(platen, 1);
  if (!blog) throw new Error("The corpus has no blog.");
  const at = platen.now();
  const post = {
    id: 1,
    slug: "one",
    title: "One",
    type: "post",
    url,
    publishedAt: at,
    updatedAt: at,
  } as const;
  inTransaction(platen, () => {
    for (let number = 0; number < count; number++)
      recordWebhookEvent(platen, blog, { name: "post.updated", at, post });
  });
  closeDatabase(platen.db);
}
