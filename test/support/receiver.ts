import { CHANNELS } from "../../src/commands/channels-and-job-kinds";
import type { Config } from "../../src/config/config";
import { deliveryLoop } from "../../src/deliveries/delivery-loop";
import { guardedClient } from "../../src/outgoing/guarded-client";
import { addWebhook } from "../../src/webhooks/webhook-urls";
import { HOUR, startPlaten } from "./platen";
import { afterTest } from "./temporary";
import { waitFor } from "./waiting";

/** A received webhook request. */
export interface Received {
  path: string;
  headers: Headers;
  id: string;
  body: string;
  // biome-ignore lint/suspicious/noExplicitAny: payloads are what the test is about
  payload: any;
}

export type Reply = (received: Received) => Response | Promise<Response>;

/** Starts a local receiver of webhooks. It responds 200 by default, and stores requests. */
export function receiver(reply: Reply = () => new Response("ok")) {
  const received: Received[] = [];
  const awaited: { count: number; resolve: () => void }[] = [];
  const answers = { reply };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const body = await request.text();
      // Copy it, because Bun clears a Request after the response.
      const headers = new Headers(request.headers);
      const seen = {
        path: new URL(request.url).pathname,
        headers,
        id: headers.get("webhook-id") as string,
        body,
        payload: JSON.parse(body),
      };
      received.push(seen);
      for (const { count, resolve } of awaited) if (received.length >= count) resolve();
      return answers.reply(seen);
    },
  });
  afterTest(() => server.stop(true));
  return {
    url: `http://127.0.0.1:${server.port}/hook`,
    received,
    /** Changes further responses. */
    respondWith: (next: Reply) => {
      answers.reply = next;
    },
    /** Resolves after this many requests. */
    untilRequested(count = 1): Promise<void> {
      if (received.length >= count) return Promise.resolve();
      const { promise, resolve } = Promise.withResolvers<void>();
      awaited.push({ count, resolve });
      return waitFor(promise, `${count} requests at a webhook's receiver`, () => received.length);
    },
    /** @returns names of received events, in order */
    eventNames: () => received.map(({ payload }) => payload.event as string),
  };
}

/** Never responds; the connection stays open. */
export const neverRespond: Reply = () => new Promise(() => {});

/** A Platen that may send to this machine, without a timeout, whose webhook loop tests step by hand. */
export function startSending(settings: Partial<Config> = {}) {
  const started = startPlaten({ privateHosts: ["127.0.0.1"], webhookTimeout: HOUR, ...settings });
  const loop = deliveryLoop(started.platen, CHANNELS, guardedClient(started.platen.config));
  const addUrl = (url: string, quietPeriod?: number) =>
    addWebhook(started.platen, started.blog, url, { quietPeriod });
  return { ...started, loop, addUrl };
}
