import { expect, test } from "bun:test";
import { attempts, deliveries } from "../../src/database/schema";
import type { Channel } from "../../src/deliveries/channel";
import { deliveryLoop } from "../../src/deliveries/delivery-loop";
import { addDeliveries, recordEvent } from "../../src/deliveries/events-and-debouncing";
import { ensureReceiver } from "../../src/deliveries/receivers";
import { guardedClient } from "../../src/outgoing/guarded-client";
import type { Platen } from "../../src/platen";
import { HOUR, startPlaten } from "../support/platen";

/** A channel that collects deliveries, with one event for these targets. */
function startChannel(targets: string[], options: Partial<Channel> = {}) {
  const at = startPlaten();
  const sent: string[] = [];
  const channel: Channel = {
    name: "letters",
    maxOpen: 1,
    isSentOnce: true,
    retryDelaysMs: [HOUR],
    async send(_platen, { target }) {
      sent.push(target);
      return { status: 250 };
    },
    ...options,
  };
  const { platen } = at;
  queue(platen, channel, targets);
  const states = () => platen.db.select({ state: deliveries.state }).from(deliveries).all();
  const loop = deliveryLoop(platen, [channel], guardedClient(platen.config));
  return { ...at, sent, states, channel, loop };
}

function queue(platen: Platen, { name: channel }: Channel, targets: string[]) {
  const receiver = ensureReceiver(platen, { channel, blogId: null, url: "relay" });
  const event = { channel, blogId: null, name: "a", at: platen.now(), isQueued: true };
  addDeliveries(platen, recordEvent(platen, event).id, receiver.id, targets);
}

test("a delivery that was in progress at a crash is not repeated if it could arrive twice", async () => {
  const { platen, sent, states, loop } = startChannel(["a", "b"]);
  platen.db.$client.run("UPDATE deliveries SET state = 'sending' WHERE target = 'a'");
  await loop.step();
  expect(sent).toEqual(["b"]);
  expect(states()).toEqual([{ state: "unsure" }, { state: "delivered" }]);
});

test("a channel starts no more deliveries than its rate allows", async () => {
  const pace = () => ({ starts: 2, within: HOUR });
  const { sent, loop, pass } = startChannel(["a", "b", "c"], { pace });
  await loop.step();
  pass(HOUR - 1);
  await loop.step();
  expect(sent).toEqual(["a", "b"]);
  pass(1);
  await loop.step();
  expect(sent).toEqual(["a", "b", "c"]);
});

test("a rate counts the deliveries of its group, and no others", async () => {
  const { platen, sent, channel, pass } = startChannel(["a", "b"], {
    pace: () => ({ starts: 2, within: HOUR, group: "mail" }),
  });
  const cards = { ...channel, name: "cards" };
  const posts = { ...channel, name: "posts", pace: () => ({ starts: 3, within: 1 }) };
  const loop = deliveryLoop(platen, [channel, cards, posts], guardedClient(platen.config));
  await loop.step();
  queue(platen, posts, ["c", "d", "e"]);
  await loop.step();
  expect(sent).toEqual(["a", "b", "c", "d", "e"]);
  pass(HOUR - 1);
  queue(platen, posts, ["f"]);
  queue(platen, cards, ["g"]);
  await loop.step();
  expect(sent).toEqual(["a", "b", "c", "d", "e", "f"]);
  pass(1);
  await loop.step();
  expect(sent).toEqual(["a", "b", "c", "d", "e", "f", "g"]);
});

test("a receiver that rejects everything is paused, and no delivery counts a failure", async () => {
  let isRefused = true;
  const { platen, states, loop, pass } = startChannel(["a", "b"], {
    async send() {
      return isRefused ? { status: 535, failure: "refused", pauseFor: HOUR } : { status: 250 };
    },
  });
  await loop.step();
  expect(platen.db.select({ failures: deliveries.failures }).from(deliveries).all()).toEqual([
    { failures: 0 },
    { failures: 0 },
  ]);
  isRefused = false;
  pass(HOUR - 1);
  await loop.step();
  expect(states()).toEqual([{ state: "pending" }, { state: "pending" }]);
  pass(1);
  await loop.step();
  expect(states()).toEqual([{ state: "delivered" }, { state: "delivered" }]);
});

test("an exception of a channel counts as a failed attempt", async () => {
  const { platen, loop } = startChannel(["a"], {
    send() {
      throw new Error("no such file");
    },
  });
  await loop.step();
  const [{ state, failures } = {}] = platen.db.select().from(deliveries).all();
  const [{ failure } = {}] = platen.db.select().from(attempts).all();
  expect([state, failures, failure]).toEqual(["pending", 1, "no such file"]);
});
