import { afterEach, describe, expect, jest, test } from "bun:test";
import { createHmac } from "node:crypto";
import { CHANNELS } from "../../src/commands/channels-and-job-kinds";
import { dataVersion } from "../../src/database/change-counter";
import { accounts } from "../../src/database/schema";
import {
  listAttempts,
  listDeliveries,
  redeliver,
  redeliverFailed,
} from "../../src/deliveries/delivery-log-and-redelivery";
import { deliveryLoop } from "../../src/deliveries/delivery-loop";
import { guardedClient } from "../../src/outgoing/guarded-client";
import { webhookChannel } from "../../src/webhooks/webhook-channel";
import { sendTestEvent } from "../../src/webhooks/webhook-events";
import { rotateSecret } from "../../src/webhooks/webhook-signatures";
import { listWebhooks, removeWebhook } from "../../src/webhooks/webhook-urls";
import { receiveRaw } from "../outgoing/receivers";
import { lockDatabase } from "../support/other-program";
import { DAY, HOUR, MINUTE, SECOND, START } from "../support/platen";
import { neverRespond, type Received, type Reply, receiver, startSending } from "../support/receiver";

afterEach(() => jest.useRealTimers());

const post = { title: "A", status: "published" };
const status =
  (code: number, headers: Record<string, string> = {}): Reply =>
  () =>
    new Response(`answered ${code}`, { status: code, headers });

describe("a webhook request", () => {
  test("has Platen's headers and those of Standard Webhooks", async () => {
    const { api, addUrl, loop } = startSending();
    const { url, received } = receiver();
    addUrl(url);
    await api("POST", "/posts", { post });
    await loop.step();
    const headers = Object.fromEntries(received[0]?.headers ?? []);
    expect(headers).toMatchObject({
      "content-type": "application/json",
      "user-agent": "Platen-Webhooks/1.0",
      "x-platen-event": "post.published",
      "webhook-id": expect.stringMatching(/^msg_\w+$/),
      "webhook-timestamp": String(START.getTime() / SECOND),
    });
  });

  test("is signed with the blog's secret, and for a day after a rotation with the old one too", async () => {
    const { platen, blog, api, addUrl, loop, pass } = startSending();
    const { url, received } = receiver();
    const first = addUrl(url);
    expect(first).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(addUrl(receiver().url)).toBe(first);

    const send = async () => {
      await api("POST", "/posts", { post });
      await loop.step();
      return received.at(-1) as Received;
    };
    expect(signaturesOf(await send())).toEqual([expectedSignature(received[0] as Received, first)]);

    const second = rotateSecret(platen, blog);
    const both = await send();
    expect(signaturesOf(both)).toEqual([expectedSignature(both, second), expectedSignature(both, first)]);

    pass(DAY);
    const one = await send();
    expect(signaturesOf(one)).toEqual([expectedSignature(one, second)]);
  });

  test("is not sent to a private address unless PLATEN_PRIVATE_HOSTS names it; the log says what to set", async () => {
    const { platen, api, addUrl, loop } = startSending({ privateHosts: [] });
    const { url, received } = receiver();
    addUrl(url);
    await api("POST", "/posts", { post });
    await loop.step();
    expect(received).toEqual([]);
    expect(listDeliveries(platen, webhookChannel)).toMatchObject([
      {
        state: "pending",
        attempts: 1,
        status: null,
        failure: expect.stringContaining("set PLATEN_PRIVATE_HOSTS=127.0.0.1"),
      },
    ]);
  });

  test("is never sent to a private address for an author who is no admin", async () => {
    const { platen, api, addUrl, loop } = startSending({ privateHosts: ["127.0.0.1"] });
    platen.db.update(accounts).set({ isAdmin: false }).run();
    const { url, received } = receiver();
    addUrl(url);
    await api("POST", "/posts", { post });
    await loop.step();
    expect(received).toEqual([]);
    expect(listDeliveries(platen, webhookChannel)).toMatchObject([
      { failure: expect.stringContaining("only admins") },
    ]);
  });
});

test.each([
  ["without a debounce window", 0],
  ["after a debounce window", 2 * MINUTE],
])(
  "an event %s is sent on time if the clock was set back by a day, and delays no other",
  async (_, quietPeriod) => {
    const { api, addUrl, loop, pass } = startSending();
    const { url, received } = receiver(status(204));
    addUrl(url, quietPeriod);
    await api("POST", "/posts", { post });
    pass(-DAY);
    await loop.step();
    expect(received).toHaveLength(1);
    await api("POST", "/posts", { post });
    pass(quietPeriod);
    await loop.step();
    expect(received).toHaveLength(2);
  },
);

describe("a failed attempt", () => {
  test.each<[string, Reply, object]>([
    ["a 500", status(500), { status: 500, answer: "answered 500" }],
    ["a 404", status(404), { status: 404 }],
    [
      "a redirect, which is not followed",
      status(302, { location: "/elsewhere" }),
      { status: 302, failure: "it redirects to /elsewhere, which is not followed" },
    ],
    ["a timeout", neverRespond, { status: null, failure: "timed out" }],
  ])("with %s is stored and repeated under the same id", async (_, reply, kept) => {
    const { platen, api, addUrl, loop, pass } = startSending({ webhookRetry: [5 * SECOND] });
    const { url, received, respondWith, untilRequested } = receiver(reply);
    addUrl(url);
    await api("POST", "/posts", { post });
    if (reply === neverRespond) jest.useFakeTimers();
    const attempt = loop.step();
    await untilRequested();
    if (reply === neverRespond) jest.advanceTimersByTime(HOUR);
    await attempt;
    expect(listAttempts(platen, 1)).toMatchObject([kept]);
    pass(5 * SECOND - 1);
    await loop.step();
    expect(received).toHaveLength(1);

    respondWith(status(204));
    pass(1);
    await loop.step();
    expect(received).toHaveLength(2);
    expect(received[1]).toMatchObject({ id: received[0]?.id, body: received[0]?.body, path: "/hook" });
    expect(received[1]?.headers.get("webhook-timestamp")).toBe(String(START.getTime() / SECOND + 5));
    expect(listDeliveries(platen, webhookChannel)).toMatchObject([
      { state: "delivered", attempts: 2, status: 204, dueAt: null },
    ]);
  });

  test("is repeated once if the clock was set back by a year", async () => {
    const { api, addUrl, loop, pass } = startSending({ webhookRetry: [HOUR, HOUR] });
    const { url, received } = receiver(status(500));
    addUrl(url);
    await api("POST", "/posts", { post });
    await loop.step();
    pass(-365 * DAY);
    await loop.step();
    expect(received).toHaveLength(2);
    await loop.step();
    expect(received).toHaveLength(2);
  });

  test("is repeated on schedule, and given up after the last interval", async () => {
    const waits = [SECOND, MINUTE, HOUR];
    const { platen, api, addUrl, loop, pass } = startSending({ webhookRetry: waits });
    const { url, received } = receiver(status(500));
    addUrl(url);
    await api("POST", "/posts", { post });
    for (const wait of waits) {
      await loop.step();
      expect(listDeliveries(platen, webhookChannel)).toMatchObject([
        { state: "pending", dueAt: new Date(platen.now().getTime() + wait) },
      ]);
      pass(wait);
    }
    await loop.step();
    pass(DAY);
    await loop.step();
    expect(received).toHaveLength(4);
    expect(listDeliveries(platen, webhookChannel)).toMatchObject([
      { state: "failed", attempts: 4, dueAt: null },
    ]);
  });

  test.each<[string, number, string, number]>([
    ["seconds", 429, "120", 120 * SECOND],
    ["a date", 503, new Date(START.getTime() + HOUR).toUTCString(), HOUR],
    ["less than the scheduled interval", 503, "1", 5 * SECOND],
    ["more than a day", 503, "9999999", DAY],
    ["nonsense", 503, "soon", 5 * SECOND],
    ["with another status", 500, "120", 5 * SECOND],
  ])("follows Retry-After: %s", async (_, code, asked, wait) => {
    const { platen, api, addUrl, loop } = startSending();
    const { url } = receiver(status(code, { "retry-after": asked }));
    addUrl(url);
    await api("POST", "/posts", { post });
    await loop.step();
    expect(listDeliveries(platen, webhookChannel)[0]?.dueAt).toEqual(new Date(START.getTime() + wait));
  });

  test("with 410 disables the URL and drops queued events", async () => {
    const { platen, api, addUrl, loop, pass } = startSending();
    const { url, received } = receiver(status(410));
    addUrl(url);
    await api("POST", "/posts", { post });
    await api("POST", "/posts", { post });
    await loop.step();
    await api("POST", "/posts", { post });
    pass(DAY);
    await loop.step();
    expect(received).toHaveLength(1);
    expect(listDeliveries(platen, webhookChannel).map(({ state }) => state)).toEqual([
      "failed",
      "dropped",
      "dropped",
    ]);
    expect(listWebhooks(platen)).toMatchObject([
      { disabledAt: START, disabledBecause: "The response was 410 Gone." },
    ]);
  });

  test("disables a URL after 5 days without a success", async () => {
    const { platen, api, addUrl, loop, pass } = startSending({ webhookRetry: [DAY] });
    const { url, respondWith } = receiver(status(500));
    addUrl(url);
    const send = async () => {
      await api("POST", "/posts", { post });
      await loop.step();
    };
    await send();
    pass(4 * DAY);
    respondWith(status(200));
    await send();
    respondWith(status(500));
    await send();
    pass(5 * DAY - 1);
    await send();
    expect(listWebhooks(platen)).toMatchObject([{ disabledAt: null }]);
    pass(1);
    await send();
    expect(listWebhooks(platen)).toMatchObject([
      {
        disabledAt: platen.now(),
        disabledBecause: "All attempts failed for 5 days; last failure: status 500.",
      },
    ]);
  });
});

describe("a response", () => {
  test("with 2xx is a success, even if its body is endless or truncated; 1 KB of it is stored", async () => {
    const { platen, api, addUrl, loop } = startSending();
    const broken = await receiveRaw((socket) =>
      socket.end("HTTP/1.1 202 Accepted\r\ncontent-length: 100\r\n\r\na\0b"),
    );
    const endless: Reply = () =>
      new Response(new ReadableStream({ pull: (body) => body.enqueue(Buffer.from("x".repeat(700))) }));
    for (const url of [`http://127.0.0.1:${broken.port}/`, receiver(endless).url]) addUrl(url);
    await api("POST", "/posts", { post });
    await loop.step();
    expect(listDeliveries(platen, webhookChannel)).toMatchObject([
      { state: "delivered", status: 202 },
      { state: "delivered", status: 200 },
    ]);
    expect(listAttempts(platen, 1)[0]?.answer).toBe("ab");
    expect(listAttempts(platen, 2)[0]?.answer).toBe("x".repeat(1024));
  });
});

describe("order and fairness", () => {
  test("a URL gets first attempts in order, one at a time; a retry delays none", async () => {
    const { api, addUrl, loop, pass } = startSending({ webhookRetry: [SECOND] });
    let open = 0;
    let most = 0;
    const { url, received } = receiver(async ({ payload }) => {
      most = Math.max(most, ++open);
      await new Promise(setImmediate);
      open--;
      return new Response(null, { status: payload.post.title === "0" ? 500 : 200 });
    });
    addUrl(url);
    for (const title of ["0", "1", "2", "3"]) await api("POST", "/posts", { post: { ...post, title } });
    await loop.step();
    pass(SECOND);
    await api("POST", "/posts", { post: { ...post, title: "4" } });
    await loop.step();
    expect(received.map(({ payload }) => payload.post.title).join("")).toBe("012340");
    expect(most).toBe(1);
  });

  test("while the server gets requests, each URL gets its events in order, also a slow one", async () => {
    const { platen, log, api, addUrl } = startSending();
    const client = guardedClient(platen.config);
    const loop = deliveryLoop(platen, CHANNELS, client, { lastRequestAt: () => performance.now() });
    const quick = receiver();
    const slow = receiver(async () => {
      await quick.untilRequested(3);
      return new Response();
    });
    for (const { url } of [quick, slow]) addUrl(url);
    for (const title of ["0", "1", "2"]) await api("POST", "/posts", { post: { ...post, title } });
    await loop.step();
    for (const { received } of [quick, slow])
      expect(received.map(({ payload }) => payload.post.title).join("")).toBe("012");
    expect(listDeliveries(platen, webhookChannel).filter(({ state }) => state === "delivered")).toHaveLength(
      6,
    );
    expect(log).toEqual([]);
  });

  test("while the server constantly gets requests and writes, events are sent too", async () => {
    const { platen, api, addUrl } = startSending();
    let requests = 0;
    const writeAndReturnNow = () => {
      if (++requests < 60)
        platen.db
          .update(accounts)
          .set({ name: String(requests) })
          .run();
      return performance.now();
    };
    const client = guardedClient(platen.config);
    const loop = deliveryLoop(platen, CHANNELS, client, { lastRequestAt: writeAndReturnNow });
    const heardAfter: number[] = [];
    const { url } = receiver(() => {
      heardAfter.push(requests);
      return new Response();
    });
    addUrl(url);
    for (const title of ["0", "1", "2"]) await api("POST", "/posts", { post: { ...post, title } });
    await loop.step();
    expect(heardAfter).toHaveLength(3);
    expect(heardAfter[0]).toBeLessThan(60);
  });

  test("sixteen hanging URLs with long queues get at most two attempts before another URL gets its first", async () => {
    const { api, addUrl, loop } = startSending({ webhookTimeout: 300 });
    const hanging = Array.from({ length: 16 }, () => receiver(neverRespond));
    for (const { url } of hanging) addUrl(url);
    const well = receiver();
    for (const title of ["0", "1", "2"]) await api("POST", "/posts", { post: { ...post, title } });
    addUrl(well.url);
    await api("POST", "/posts", { post: { ...post, title: "3" } });
    const done = loop.step();
    await well.untilRequested();
    expect(Math.max(...hanging.map(({ received }) => received.length))).toBeLessThanOrEqual(2);
    await done;
  });

  test("fifteen hanging URLs do not delay another one", async () => {
    const { api, addUrl, loop } = startSending();
    const late = Promise.withResolvers<void>();
    for (let count = 0; count < 15; count++)
      addUrl(receiver(() => late.promise.then(() => new Response())).url);
    const well = receiver();
    addUrl(well.url);
    for (const title of ["0", "1", "2"]) await api("POST", "/posts", { post: { ...post, title } });
    const done = loop.step();
    await well.untilRequested(3);
    late.resolve();
    await done;
  });
});

describe("a long queue", () => {
  const writeThree = async (started: ReturnType<typeof startSending>) => {
    for (const title of ["0", "1", "2"]) await started.api("POST", "/posts", { post: { ...post, title } });
  };

  test("is sent without a pause, and clears no cached pages", async () => {
    jest.useFakeTimers();
    const started = startSending();
    const { url, received } = receiver();
    started.addUrl(url);
    await writeThree(started);
    const before = dataVersion(started.platen);
    await started.loop.step();
    expect(received.map(({ payload }) => payload.post.title)).toEqual(["0", "1", "2"]);
    expect(listDeliveries(started.platen, webhookChannel).map(({ state }) => state)).toEqual(
      Array(3).fill("delivered"),
    );
    expect(dataVersion(started.platen)).toBe(before);
  });

  test("pauses between requests while the server is used", async () => {
    jest.useFakeTimers();
    let lastRequest = performance.now();
    const started = startSending();
    const { platen, addUrl } = started;
    const loop = deliveryLoop(platen, CHANNELS, guardedClient(platen.config), {
      lastRequestAt: () => lastRequest,
    });
    const { url, received, untilRequested } = receiver();
    addUrl(url);
    await writeThree(started);
    const done = loop.step();
    await untilRequested();
    for (let turn = 0; turn < 200; turn++) await new Promise(setImmediate);
    expect(received).toHaveLength(1);
    lastRequest -= 2 * SECOND;
    jest.advanceTimersByTime(5);
    await done;
    expect(received).toHaveLength(3);
  });

  test("stops when the URL is removed", async () => {
    const started = startSending();
    const isRequested = Promise.withResolvers<void>();
    const late = Promise.withResolvers<Response>();
    const { url, received } = receiver(() => {
      isRequested.resolve();
      return late.promise;
    });
    started.addUrl(url);
    await writeThree(started);
    const done = started.loop.step();
    await isRequested.promise;
    removeWebhook(started.platen, started.blog, url);
    late.resolve(new Response());
    await done;
    expect(received).toHaveLength(1);
    expect(listDeliveries(started.platen, webhookChannel).map(({ state }) => state)).toEqual([
      "delivered",
      "dropped",
      "dropped",
    ]);
  });

  test("continues with the next event after a failure", async () => {
    const started = startSending();
    const { url, received } = receiver(
      ({ payload }) => new Response(null, { status: payload.post.title === "1" ? 500 : 200 }),
    );
    started.addUrl(url);
    await writeThree(started);
    await started.loop.step();
    expect(received.map(({ payload }) => payload.post.title)).toEqual(["0", "1", "2"]);
    expect(
      listDeliveries(started.platen, webhookChannel).map(({ state, attempts }) => [state, attempts]),
    ).toEqual([
      ["delivered", 1],
      ["pending", 1],
      ["delivered", 1],
    ]);
  });
});

describe("a debounce window", () => {
  test("coalesces a burst into one delivery of the last event, and logs all", async () => {
    const { platen, api, addUrl, loop, pass } = startSending();
    const folding = receiver();
    const plain = receiver();
    addUrl(folding.url, 2 * MINUTE);
    addUrl(plain.url);
    const { body } = await api("POST", "/posts", { post });
    for (const title of ["B", "C"]) {
      pass(MINUTE);
      await api("PATCH", `/posts/${body.post.id}`, { post: { title } });
      await loop.step();
    }
    expect(plain.received).toHaveLength(3);
    pass(2 * MINUTE - 1);
    await loop.step();
    expect(folding.received).toEqual([]);
    pass(1);
    await loop.step();
    expect(folding.received.map(({ payload }) => payload.post.title)).toEqual(["C"]);
    const states = listDeliveries(platen, webhookChannel).filter(({ url }) => url === folding.url);
    expect(states.map(({ state }) => state)).toEqual(["folded", "folded", "delivered"]);
  });

  test("is extended at most ten times", async () => {
    const { api, addUrl, loop, pass } = startSending();
    const { url, received } = receiver();
    addUrl(url, MINUTE);
    const { body } = await api("POST", "/posts", { post });
    for (let half = 1; half < 20; half++) {
      pass(MINUTE / 2);
      await api("PATCH", `/posts/${body.post.id}`, { post: { title: String(half) } });
      await loop.step();
    }
    expect(received).toEqual([]);
    pass(MINUTE / 2);
    await loop.step();
    expect(received.map(({ payload }) => payload.post.title)).toEqual(["19"]);
  });

  test("coalesces failed events that wait for a retry with the next event", async () => {
    const { platen, api, addUrl, loop, pass } = startSending({ webhookRetry: [HOUR] });
    const { url, received, respondWith } = receiver(status(500));
    addUrl(url, MINUTE);
    const { body } = await api("POST", "/posts", { post });
    pass(MINUTE);
    await loop.step();
    respondWith(status(200));
    await api("PATCH", `/posts/${body.post.id}`, { post: { title: "B" } });
    pass(DAY);
    await loop.step();
    expect(received.map(({ payload }) => payload.post.title)).toEqual(["A", "B"]);
    expect(listDeliveries(platen, webhookChannel).map(({ state }) => state)).toEqual(["folded", "delivered"]);
  });
});

describe("resending", () => {
  test("sends a delivery again under its id, in any state", async () => {
    const { platen, api, addUrl, loop } = startSending({ webhookRetry: [HOUR] });
    const { url, received } = receiver();
    addUrl(url);
    await api("POST", "/posts", { post });
    await loop.step();
    redeliver(platen, 1);
    await loop.step();
    expect(new Set(received.map(({ id }) => id)).size).toBe(1);
    expect(received).toHaveLength(2);
    expect(listDeliveries(platen, webhookChannel)).toMatchObject([{ state: "delivered", attempts: 2 }]);
    expect(() => redeliver(platen, 99)).toThrow("There is no such delivery.");
  });

  test("sends all that failed, wait after a failure or were dropped since a time", async () => {
    const { platen, blog, api, addUrl, loop, pass } = startSending({ webhookRetry: [HOUR] });
    const { url, received, respondWith } = receiver(status(500));
    addUrl(url);
    const send = async (title: string) => {
      await api("POST", "/posts", { post: { ...post, title } });
      await loop.step();
    };
    await send("failed long ago");
    pass(HOUR);
    await loop.step();
    pass(DAY);
    await send("failed");
    pass(HOUR);
    await loop.step();
    respondWith(status(200));
    await send("delivered");
    respondWith(status(500));
    await send("waiting");
    respondWith(status(200));
    received.length = 0;
    expect(redeliverFailed(platen, webhookChannel, new Date(START.getTime() + DAY))).toBe(2);
    await loop.step();
    expect(received.map(({ payload }) => payload.post.title)).toEqual(["failed", "waiting"]);

    removeWebhook(platen, blog, url);
    expect(() => redeliver(platen, 1)).toThrow("has been removed; add it again first");
    expect(redeliverFailed(platen, webhookChannel, START)).toBe(0);
  });
});

test("a removed URL gets nothing, keeps its log, and is reset when it is added again", async () => {
  const { platen, blog, api, addUrl, loop } = startSending();
  const { url, received } = receiver();
  addUrl(url);
  await api("POST", "/posts", { post });
  removeWebhook(platen, blog, url);
  await loop.step();
  expect(received).toEqual([]);
  expect(listWebhooks(platen)).toEqual([]);
  expect(listDeliveries(platen, webhookChannel)).toMatchObject([{ url, state: "dropped" }]);
  addUrl(url);
  await api("POST", "/posts", { post });
  await loop.step();
  expect(received).toHaveLength(1);
});

describe("a URL removed during a request and added again", () => {
  const removeAndAddUrl = async (reply: Reply) => {
    const started = startSending({ webhookRetry: [SECOND] });
    const isRequested = Promise.withResolvers<void>();
    const { url, received, respondWith } = receiver((request) => {
      isRequested.resolve();
      return reply(request);
    });
    started.addUrl(url);
    await started.api("POST", "/posts", { post });
    const sending = started.loop.step();
    await isRequested.promise;
    removeWebhook(started.platen, started.blog, url);
    started.addUrl(url);
    respondWith(() => new Response());
    return { ...started, received, sending };
  };

  test("gets nothing from before if the server was killed", async () => {
    const { platen, received } = await removeAndAddUrl(neverRespond);
    expect(listDeliveries(platen, webhookChannel)).toMatchObject([{ state: "dropped", dueAt: null }]);
    await deliveryLoop(platen, CHANNELS, guardedClient(platen.config)).step();
    expect(received).toHaveLength(1);
  });

  test.each([
    ["nothing more if the request fails", 500, "dropped"],
    ["nothing more if it succeeds, and the log says so", 200, "delivered"],
  ])("gets %s", async (_, code, state) => {
    const late = Promise.withResolvers<Response>();
    const { platen, received, sending, loop, pass } = await removeAndAddUrl(() => late.promise);
    late.resolve(new Response(null, { status: code }));
    await sending;
    pass(DAY);
    await loop.step();
    expect(received).toHaveLength(1);
    expect(listDeliveries(platen, webhookChannel)).toMatchObject([
      { state, attempts: 1, status: code, dueAt: null },
    ]);
  });
});

test("deliveries wait for another program's write, and delay no requests", async () => {
  const { platen, api, addUrl, fetch, loop, log } = startSending();
  const { url, received } = receiver();
  addUrl(url);
  await api("POST", "/posts", { post });
  const lock = lockDatabase(platen.config.data);
  // A loop that waited for the lock would fail after ten seconds.
  const sending = loop.step();
  expect((await fetch("/livez")).status).toBe(200);
  expect(received).toEqual([]);
  lock[Symbol.dispose]();
  await sending;
  expect(received).toHaveLength(1);
  expect(log).toEqual([]);
});

test("a test event has its own name and the usual shape, and is sent to one URL", async () => {
  const { platen, blog, addUrl, loop } = startSending();
  const { url, received } = receiver();
  const other = receiver();
  addUrl(url);
  addUrl(other.url);
  const id = sendTestEvent(platen, blog, url);
  await loop.step();
  expect(other.received).toEqual([]);
  expect(received[0]?.payload).toEqual({
    event: "webhook.test",
    occurred_at: START.toISOString(),
    blog: { id: blog.id, slug: "ada", title: "Ada's Blog" },
    post: {
      id: 0,
      slug: "test",
      title: "A test of this webhook",
      type: "post",
      url: "http://blog.test/test",
      published_at: START.toISOString(),
      updated_at: START.toISOString(),
    },
  });
  expect(listAttempts(platen, id)).toHaveLength(1);
});

describe("a process that ends", () => {
  test("during a request leaves it due; the next process sends it under the same id", async () => {
    const { platen, api, addUrl, loop } = startSending();
    const { url, received, respondWith } = receiver(neverRespond);
    addUrl(url);
    await api("POST", "/posts", { post });
    // A crash leaves the claim.
    platen.db.$client.run("UPDATE deliveries SET state = 'sending'");
    respondWith(status(200));
    await loop.step();
    expect(received).toHaveLength(1);
    expect(listDeliveries(platen, webhookChannel)).toMatchObject([{ state: "delivered", attempts: 1 }]);
  });

  test("waits for open requests when it is stopped; unanswered ones stay due", async () => {
    const { platen, api, addUrl } = startSending({ webhookTimeout: HOUR });
    const late = Promise.withResolvers<Response>();
    const isRequested = Promise.withResolvers<void>();
    const slow = receiver(() => {
      isRequested.resolve();
      return late.promise;
    });
    addUrl(slow.url);
    addUrl(receiver(neverRespond).url);
    await api("POST", "/posts", { post });
    await api("POST", "/posts", { post });
    const running = deliveryLoop(platen, CHANNELS, guardedClient(platen.config));
    running.sendDue();
    await isRequested.promise;
    const stopped = running.stop();
    late.resolve(new Response());
    await stopped;
    expect(slow.received).toHaveLength(1);
    expect(listDeliveries(platen, webhookChannel).map(({ state, attempts }) => [state, attempts])).toEqual([
      ["delivered", 1],
      ["pending", 0],
      ["pending", 0],
      ["pending", 0],
    ]);
  });
});

/** Computed without Platen's code, by Standard Webhooks. */
function expectedSignature({ headers, body }: Received, secret: string): string {
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const content = `${headers.get("webhook-id")}.${headers.get("webhook-timestamp")}.${body}`;
  return `v1,${createHmac("sha256", key).update(content).digest("base64")}`;
}

function signaturesOf({ headers }: Received): string[] {
  return headers.get("webhook-signature")?.split(" ") ?? [];
}
