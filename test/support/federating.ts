import { blogById } from "../../src/blogs/blogs";
import { CHANNELS } from "../../src/commands/channels-and-job-kinds";
import type { Config } from "../../src/config/config";
import { deliveryLoop } from "../../src/deliveries/delivery-loop";
import { turnFediverseOn } from "../../src/fediverse/fediverse-account";
import { guardedClient } from "../../src/outgoing/guarded-client";
import { START, startPlaten } from "./platen";
import { afterTest } from "./temporary";

/** A Platen whose blog is an account of the fediverse, with a real address that servers of tests can reach. */
export async function startFederating(settings: Partial<Config> = {}) {
  let handle: (request: Request) => Response | Promise<Response> = () => new Response(null, { status: 503 });
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: (request) => handle(request) });
  afterTest(() => void server.stop(true));
  const url = `http://127.0.0.1:${server.port}`;
  const at = startPlaten({ url, privateHosts: ["127.0.0.1"], ...settings });
  // Fedify checks the time of signatures by the real clock.
  at.pass(Date.now() - START.getTime());
  handle = (request) => at.fetch(request.url, request);
  await turnFediverseOn(at.platen, at.blog);
  const loop = deliveryLoop(at.platen, CHANNELS, guardedClient(at.platen.config));
  const actor = `${url}/.well-known/reach/actor/${at.blog.id}`;
  return {
    ...at,
    url,
    handle: `@ada@127.0.0.1:${server.port}`,
    /** Id and inbox of the blog's actor. */
    actor: { id: new URL(actor), inboxId: new URL(`${actor}/inbox`) },
    blogNow: () => blogById(at.platen, at.blog.id) as typeof at.blog,
    /** Sends everything that is due, also what the limit of 4 a second holds back. */
    async deliver() {
      for (let step = 0; step < 10; step++) {
        await loop.step();
        at.pass(1000);
      }
    },
    /** Lets time pass, and sends what falls due. */
    async passAndDeliver(time: number) {
      at.pass(time);
      for (const channel of CHANNELS) channel.recordDue?.(at.platen);
      await this.deliver();
    },
    getJson: async (path: string) => {
      const response = await at.fetch(path.startsWith("http") ? path : url + path, {
        headers: { accept: "application/activity+json" },
      });
      const isJson = response.headers.get("content-type")?.includes("json");
      return { status: response.status, body: isJson ? await response.json() : await response.text() };
    },
  };
}

export type Federating = Awaited<ReturnType<typeof startFederating>>;
