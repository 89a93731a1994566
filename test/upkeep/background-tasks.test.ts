import { afterEach, expect, jest, test } from "bun:test";
import { CHANNELS } from "../../src/commands/channels-and-job-kinds";
import { createPlaten } from "../../src/commands/shell/data-folder";
import type { Config } from "../../src/config/config";
import { openDatabase } from "../../src/database/open";
import { listDeliveries } from "../../src/deliveries/delivery-log-and-redelivery";
import { findJob, startJob } from "../../src/jobs/jobs";
import type { Platen } from "../../src/platen";
import { clockWatch, startBackgroundTasks } from "../../src/upkeep/background-tasks";
import { checkJob, UPKEEP_JOBS } from "../../src/upkeep/upkeep-jobs";
import { webhookChannel } from "../../src/webhooks/webhook-channel";
import { addWebhook } from "../../src/webhooks/webhook-urls";
import { lockDatabase } from "../support/other-program";
import { DAY, HOUR, SECOND, START, startPlaten, type TestPlaten } from "../support/platen";
import { receiver } from "../support/receiver";
import { recordStatements } from "../support/recorded-statements";

const ran = recordStatements();
afterEach(() => jest.useRealTimers());

async function runTasks(
  work: (at: TestPlaten & { round(): void }) => void | Promise<void>,
  settings: Partial<Config> = {},
  trustsClock?: (platen: Platen) => boolean,
) {
  const at = startPlaten(settings);
  const { round, stop } = startBackgroundTasks(at.platen, {
    channels: CHANNELS,
    jobKinds: UPKEEP_JOBS,
    lastRequestAt: () => Number.NEGATIVE_INFINITY,
    trustsClock,
  });
  try {
    await work({ ...at, round });
  } finally {
    await stop();
  }
}

const countAnnounced = ({ db }: Platen) =>
  db.$client.query<{ n: number }, []>("SELECT count(*) AS n FROM posts WHERE is_announced").get()?.n;
const scheduledPost = (at: number) => ({
  post: { title: "A", status: "published", published_at: new Date(at).toISOString() },
});

test("the loop runs two statements a second without writes", async () => {
  jest.useFakeTimers();
  await runTasks(async ({ api }) => {
    await api("POST", "/posts", scheduledPost(START.getTime() + HOUR));
    for (let second = 0; second < 5; second++) await nextSecond();
    ran.length = 0;
    await nextSecond();
    expect(ran).toEqual(["SELECT total_changes() AS n", "PRAGMA data_version"]);
  });
});

/** Moves the fake timers by a second. */
async function nextSecond(): Promise<void> {
  jest.advanceTimersByTime(SECOND);
  await waitSeveralTicks();
}

async function waitSeveralTicks(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
}

test("changes by another program are noticed in the next round: a job starts, a post is published", async () => {
  await runTasks(async ({ platen, api, pass, round }) => {
    const { body } = await api("POST", "/posts", scheduledPost(START.getTime() + HOUR));
    for (const _ of [1, 2, 3]) round();
    const other = { ...createPlaten(platen.config, openDatabase(platen.config.data)), now: platen.now };
    const id = startJob(other, checkJob, { blog: null, account: null, input: {} });
    round();
    expect(findJob(platen, id)?.state).toBe("running");

    const soon = START.getTime() + 10 * SECOND;
    other.db.$client.run(`UPDATE posts SET published_at = ${soon} WHERE id = ${body.post.id}`);
    other.db.$client.close(false);
    round();
    pass(10 * SECOND);
    round();
    expect(countAnnounced(platen)).toBe(1);
  });
});

test("a scheduled post is announced in the round after its time, even if the clock was set back", async () => {
  await runTasks(async ({ platen, api, pass, round }) => {
    await api("POST", "/posts", scheduledPost(START.getTime() + HOUR));
    round();
    pass(-HOUR);
    round();
    pass(2 * HOUR - 1);
    for (const _ of [1, 2]) round();
    expect(countAnnounced(platen)).toBe(0);
    pass(1);
    round();
    expect(countAnnounced(platen)).toBe(1);
  });
});

test("a clock that was far ahead deletes nothing; if it stays ahead for a day, expired data is deleted", async () => {
  const work = async ({ platen, api, pass, round }: TestPlaten & { round(): void }) => {
    const { body } = await api("POST", "/posts", { post: { title: "A" } });
    for (const title of ["B", "C"]) await api("PATCH", `/posts/${body.post.id}`, { post: { title } });
    const trash = await api("POST", "/posts", { post: { title: "Trash" } });
    await api("DELETE", `/posts/${trash.body.post.id}`);
    const { $client } = platen.db;
    const counts = async () => {
      for (let second = 0; second < 10; second++) round();
      await waitSeveralTicks();
      return $client
        .query("SELECT (SELECT count(*) FROM posts), (SELECT count(*) FROM revisions)")
        .values()[0];
    };
    pass(400 * DAY);
    expect(await counts()).toEqual([2, 2]);
    await api("PATCH", `/posts/${body.post.id}`, { post: { title: "D" } });
    pass(-400 * DAY);
    expect(await counts()).toEqual([2, 3]);
    pass(400 * DAY);
    expect(await counts()).toEqual([2, 3]);
    pass(DAY - 1);
    expect(await counts()).toEqual([2, 3]);
    pass(1);
    expect(await counts()).toEqual([1, 2]);
  };
  await runTasks(work, {}, clockWatch(START.getTime()));
});

test("a locked or failing task is repeated each round, and blocks no other task", async () => {
  await runTasks(async ({ platen, log, api, pass, round }) => {
    await api("POST", "/posts", scheduledPost(START.getTime() + SECOND));
    round();
    pass(SECOND);
    {
      using _lock = lockDatabase(platen.config.data);
      for (const _ of [1, 2]) round();
    }
    expect([countAnnounced(platen), log]).toEqual([0, []]);
    round();
    expect(countAnnounced(platen)).toBe(1);

    await api("POST", "/posts", scheduledPost(platen.now().getTime() + SECOND));
    round();
    const { $client } = platen.db;
    $client.run(
      "CREATE TRIGGER held BEFORE UPDATE OF is_announced ON posts BEGIN SELECT RAISE(ABORT, 'not today'); END",
    );
    pass(SECOND);
    const id = startJob(platen, checkJob, { blog: null, account: null, input: {} });
    round();
    expect(log.join()).toContain("not today");
    expect(findJob(platen, id)?.state).toBe("running");
    $client.run("DROP TRIGGER held");
    round();
    expect(countAnnounced(platen)).toBe(2);
  });
});

test("a failed purge is repeated on time, also without further changes", async () => {
  const cache = receiver(() => new Response("no", { status: 503 }));
  const settings = {
    purge: { url: cache.url, header: null },
    privateHosts: ["127.0.0.1"],
    webhookRetry: [5 * SECOND],
  };
  await runTasks(async ({ log, pass, round }) => {
    round();
    while (log.length === 0) await new Promise(setImmediate);
    for (const _ of [1, 2]) round();
    expect(cache.received).toHaveLength(1);
    pass(5 * SECOND);
    round();
    await cache.untilRequested(2);
  }, settings);
});

test("a failed webhook delivery is repeated on time, even if the clock was set back by a year", async () => {
  jest.useFakeTimers();
  const site = receiver(() => new Response("no", { status: 503 }));
  const settings = { privateHosts: ["127.0.0.1"], webhookRetry: [5 * SECOND, 5 * SECOND] };
  await runTasks(async ({ platen, blog, api, pass, round }) => {
    const attempts = async (count: number) => {
      while (listDeliveries(platen, webhookChannel)[0]?.attempts !== count) await new Promise(setImmediate);
      for (const _ of [1, 2, 3]) {
        round();
        await waitSeveralTicks();
      }
      expect(site.received).toHaveLength(count);
    };
    addWebhook(platen, blog, site.url);
    await api("POST", "/posts", { post: { title: "A", status: "published" } });
    round();
    await attempts(1);
    pass(-365 * DAY);
    round();
    await attempts(2);
    pass(5 * SECOND);
    round();
    await attempts(3);
  }, settings);
});

test("page requests create no secrets; the server creates all of them when it starts", async () => {
  await runTasks(async ({ api, fetch }) => {
    const { body } = await api("POST", "/posts", { post: { title: "Read", status: "published" } });
    ran.length = 0;
    for (const path of [`/${body.post.slug}`, "/feed.xml", "/feed.json", "/auth/sign-in"])
      expect((await fetch(path)).status).toBe(200);
    expect(ran.filter((asked) => /insert into .settings/i.test(asked))).toEqual([]);
  });
});
