/**
 * Measures the cost of webhooks: publishing with 50 URLs and with none, without and with a server that sends;
 * and the memory of 10,000 pending deliveries compared with 100:
 * `bun bench/webhooks.ts`
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addAccount } from "../src/accounts/accounts";
import { makeKey } from "../src/accounts/api-keys";
import { platenApp } from "../src/app";
import { addBlog } from "../src/blogs/new-blogs";
import { CHANNELS } from "../src/commands/channels-and-job-kinds";
import { readSettings } from "../src/config/config";
import { closeDatabase, openDatabase } from "../src/database/open";
import { deliveryLoop } from "../src/deliveries/delivery-loop";
import { guardedClient } from "../src/outgoing/guarded-client";
import type { Platen } from "../src/platen";
import { addWebhook } from "../src/webhooks/webhook-urls";
import { median } from "./statistics";

const MEGABYTE = 1_048_576;
const WARM_UP = 100;
const ROUNDS = 500;
const URLS = 50;
/** Deliveries in the log: a month of a busy blog. */
const LOGGED = 20_000;

if (process.argv[2] === "pending") await sendPending(Number(process.argv[3]));
else {
  await measurePublishing();
  await measureServing();
  await measureMemory();
}

async function measurePublishing(): Promise<void> {
  using none = openBench();
  using many = openBench();
  for (let number = 0; number < URLS; number++)
    addWebhook(many.platen, many.blog, `https://example.com/${number}`);
  fillLog(many.platen);
  const times = { none: [] as number[], many: [] as number[] };
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    const [without, with50] = [await publish(none), await publish(many)];
    if (round < WARM_UP) continue;
    times.none.push(without);
    times.many.push(with50);
  }
  const [without, with50] = [median(times.none), median(times.many)];
  console.log(
    `publish: ${without.toFixed(2)} ms with no URL, ${with50.toFixed(2)} ms with ${URLS}: × ${(with50 / without).toFixed(2)}`,
  );
}

async function publish({ app, key }: Bench): Promise<number> {
  const request = new Request("http://blog.test/api/v1/posts", creation(key));
  const began = performance.now();
  const response = await app.handle(request);
  await response.text();
  return performance.now() - began;
}

function fillLog({ db }: Platen): void {
  db.$client.run(`
    WITH RECURSIVE numbers AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM numbers WHERE n < ${LOGGED / URLS})
    INSERT INTO events (blog_id, post_id, name, occurred_at, is_queued, payload)
    SELECT 1, n, 'post.updated', n, 1, '{}' FROM numbers`);
  db.$client.run(`
    INSERT INTO deliveries (event_id, receiver_id, state, attempts, settled_at)
    SELECT events.id, receivers.id, 'delivered', 1, 1 FROM events, receivers`);
}

/** Posts follow each other without pauses, so that deliveries queue. */
async function measureServing(): Promise<void> {
  const [without, with50] = [await measureServer(0), await measureServer(URLS)];
  console.log(
    `publish on a server: ${without.toFixed(2)} ms with no URL, ${with50.toFixed(2)} ms while it sends to ${URLS}: × ${(with50 / without).toFixed(2)}`,
  );
}

async function measureServer(urls: number): Promise<number> {
  using receiver = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  const data = mkdtempSync(join(tmpdir(), "platen-bench-"));
  const env = { ...process.env, PLATEN_DATA: data, PLATEN_PORT: "0", PLATEN_PRIVATE_HOSTS: "127.0.0.1" };
  const program = (...args: string[]) =>
    Bun.spawn([process.execPath, join(import.meta.dir, "../src/main.ts"), ...args], { env, stdout: "pipe" });
  const setup = program("setup", "--email", "ada@example.com", "--title", "Ada");
  const key = (await new Response(setup.stdout).text()).trim();
  for (let number = 0; number < urls; number++)
    await program("webhook", "add", "--blog", "ada", `http://127.0.0.1:${receiver.port}/${number}`).exited;
  const server = program("serve");
  try {
    const printed = new TextDecoder().decode((await server.stdout.getReader().read()).value);
    const url = /http:\/\/[^/\s]+/.exec(printed)?.[0] as string;
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const began = performance.now();
      await (await fetch(`${url}/api/v1/posts`, creation(key))).text();
      times.push(performance.now() - began);
    }
    return median(times.slice(WARM_UP));
  } finally {
    server.kill("SIGKILL");
    await server.exited;
    rmSync(data, { recursive: true });
  }
}

function creation(key: string): RequestInit {
  return {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({
      post: { title: crypto.randomUUID(), content: "<p>Hello, world.</p>", status: "published" },
    }),
  };
}

async function measureMemory(): Promise<void> {
  for (const pending of [100, 10_000]) {
    const run = Bun.spawn([process.execPath, import.meta.path, "pending", String(pending)], {
      stdout: "pipe",
    });
    console.log(`memory with ${pending} pending: ${(await new Response(run.stdout).text()).trim()}`);
  }
}

/** Sends a hundred of the pending deliveries. The memory should not depend on their number. */
async function sendPending(pending: number): Promise<void> {
  using bench = openBench();
  const { platen, blog } = bench;
  let received = 0;
  const enough = Promise.withResolvers<void>();
  using receiver = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => {
      if (++received === 100) enough.resolve();
      return new Response();
    },
  });
  addWebhook(platen, blog, `http://127.0.0.1:${receiver.port}/`);
  platen.db.$client.run(`
    WITH RECURSIVE numbers AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM numbers WHERE n < ${pending})
    INSERT INTO events (blog_id, post_id, name, occurred_at, is_queued, payload)
    SELECT 1, n, 'post.updated', n, 1, printf('{"title":"%.500c"}', 'x') FROM numbers`);
  platen.db.$client.run(
    "INSERT INTO deliveries (event_id, receiver_id, due_at) SELECT id, 1, occurred_at FROM events",
  );
  Bun.gc(true);
  const before = process.memoryUsage.rss();
  const loop = deliveryLoop(platen, CHANNELS, guardedClient(platen.config));
  loop.sendDue();
  await enough.promise;
  await loop.stop();
  Bun.gc(true);
  const grown = (process.memoryUsage.rss() - before) / MEGABYTE;
  console.log(`+ ${grown.toFixed(1)} MB while 100 of them are sent`);
}

type Bench = ReturnType<typeof openBench>;

function openBench() {
  const data = mkdtempSync(join(tmpdir(), "platen-bench-"));
  const config = { ...readSettings({ data }, {}), url: "http://blog.test", privateHosts: ["127.0.0.1"] };
  const platen: Platen = { config, db: openDatabase(data), now: () => new Date(), log: console.error };
  const account = addAccount(platen, { email: "ada@example.com" });
  return {
    platen,
    blog: addBlog(platen, account, { title: "Ada" }),
    key: makeKey(platen, account).text,
    app: platenApp(platen),
    [Symbol.dispose]() {
      closeDatabase(platen.db);
      rmSync(data, { recursive: true });
    },
  };
}
