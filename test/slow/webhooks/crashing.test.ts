import { expect, test } from "bun:test";
import { openWithoutPlaten } from "../../support/other-program";
import { MINUTE } from "../../support/platen";
import { type RunningServer, runPlaten, startServer } from "../../support/program";
import { type Received, receiver } from "../../support/receiver";

/** The server is killed after this many events, while it writes and sends others. */
const KILLED_AFTER = [3, 9, 1, 6];

test("a server killed repeatedly delivers every acknowledged change under one id, and nothing else", async () => {
  let count = 0;
  const flapping = receiver(() => new Response(null, { status: ++count % 3 === 0 ? 503 : 200 }));
  const steady = receiver();
  const env = { PLATEN_PRIVATE_HOSTS: "127.0.0.1", PLATEN_WEBHOOK_RETRY: Array(30).fill("1s").join(",") };

  let server = await startServer({ env });
  const { data } = server;
  const platen = async (...args: string[]) => (await runPlaten([...args, "--data", data])).stdout.trim();
  const key = await platen("setup", "--email", "ada@example.com", "--title", "Ada", "--slug", "ada");
  for (const { url } of [flapping, steady]) await platen("webhook", "add", "--blog", "ada", url);

  const requested: string[] = [];
  const acknowledged: string[] = [];
  const ask = async (told: string, method: string, path: string, post?: object) => {
    requested.push(told);
    const response = await fetch(`${server.url}/api/v1/posts${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: post && JSON.stringify({ post }),
    });
    const body = await response.text();
    acknowledged.push(told);
    return body;
  };
  /** Publishes, changes, unpublishes and deletes posts until the server is gone, not faster than events arrive. */
  const write = async (life: number, isTimeToDie: Promise<void>) => {
    for (let number = 0; ; number++) {
      const slug = `p-${life}-${number}`;
      const heard = steady.received.length;
      const created = await ask(`post.published ${slug} A`, "POST", "", {
        title: "A",
        slug,
        status: "published",
      });
      const path = `/${JSON.parse(created).post.id}`;
      await ask(`post.updated ${slug} B`, "PATCH", path, { title: "B" });
      if (number % 2 === 0) await ask(`post.unpublished ${slug} B`, "PATCH", `${path}/unpublish`);
      else await ask(`post.deleted ${slug} B`, "DELETE", path);
      await Promise.race([steady.untilRequested(heard + 1), isTimeToDie]);
    }
  };

  for (const [life, more] of KILLED_AFTER.entries()) {
    const isTimeToDie = steady.untilRequested(steady.received.length + more);
    const writing = write(life, isTimeToDie).catch(() => {}); // ends with the server
    await Promise.race([isTimeToDie, writing]);
    await server.kill();
    await writing;
    server = await startServer({ data, env });
  }
  for (const { received, untilRequested } of [flapping, steady])
    while (acknowledged.some((told) => !received.some((request) => describeEvent(request) === told)))
      await untilRequested(received.length + 1);
  await server.stop();

  expect(acknowledged.length).toBeGreaterThan(KILLED_AFTER.length);
  for (const { received } of [flapping, steady]) {
    const heard = Map.groupBy(received, describeEvent);
    expect(acknowledged.filter((told) => !heard.has(told))).toEqual([]);
    expect([...heard.keys()].filter((told) => !requested.includes(told))).toEqual([]);
    const idsOf = (requests: Received[]) => new Set(requests.map(({ id }) => id));
    expect([...heard.values()].filter((requests) => idsOf(requests).size !== 1)).toEqual([]);
    expect(idsOf(received).size).toBe(heard.size);
  }
});

function describeEvent({ payload }: Received): string {
  return `${payload.event} ${payload.post.slug} ${payload.post.title}`;
}

test("a post whose time came while the server was down is announced once after the start", async () => {
  const { url, received, untilRequested } = receiver();
  const env = { PLATEN_PRIVATE_HOSTS: "127.0.0.1" };
  const first = await startServer({ env });
  const { data } = first;
  const setup = ["setup", "--email", "ada@example.com", "--title", "Ada", "--slug", "ada", "--data", data];
  const key = (await runPlaten(setup)).stdout.trim();
  await runPlaten(["webhook", "add", "--blog", "ada", url, "--data", data]);
  const publish = async (server: RunningServer, title: string, publishedAt?: string) =>
    await fetch(`${server.url}/api/v1/posts`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ post: { title, status: "published", published_at: publishedAt } }),
    });
  await publish(first, "Later", "2999-01-01T00:00:00Z");
  await first.kill();
  expect(received).toEqual([]);
  moveTimeToPast(data, "later");

  const second = await startServer({ data, env });
  await untilRequested();
  await second.stop();
  // Events arrive in order: a repeated announcement would arrive before this post.
  await using third = await startServer({ data, env });
  await publish(third, "Now");
  // A delivery interrupted by the stop is repeated under its id, so count different ids.
  const receivedEvents = () =>
    new Map(received.map(({ id, payload }) => [id, `${payload.event} ${payload.post.title}`]));
  while (receivedEvents().size < 2) await untilRequested(received.length + 1);
  expect([...receivedEvents().values()]).toEqual(["post.published Later", "post.published Now"]);
});

/** Instead of waiting, the publication time is moved into the past. */
function moveTimeToPast(data: string, slug: string): void {
  using db = openWithoutPlaten(data);
  db.run("UPDATE posts SET published_at = ? WHERE slug = ?", [Date.now() - MINUTE, slug]);
}
