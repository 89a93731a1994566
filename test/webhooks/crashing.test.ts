import { expect, test } from "bun:test";
import { type RunningServer, runPlaten, startServer } from "../support/program";
import { type Received, receiver } from "../support/receiver";

const CRASHES = 4;
/** How long the servers live before they are killed, in milliseconds: in the middle of whatever goes on then. */
const LIVES = [300, 700, 150, 500];

/**
 * Real servers, killed while posts are written and a receiver flaps. Whatever was acknowledged must be heard, each
 * event under one id; whatever is heard must have been asked for.
 */
test("killed again and again, a server delivers every acknowledged change under one id, and nothing else", async () => {
  let count = 0;
  const flapping = receiver(() => new Response(null, { status: ++count % 3 === 0 ? 503 : 200 }));
  const steady = receiver();
  const env = { PLATEN_PRIVATE_HOSTS: "127.0.0.1", PLATEN_WEBHOOK_RETRY: Array(30).fill("1s").join(",") };

  let server = await startServer({ env });
  const { data } = server;
  const platen = async (...args: string[]) => (await runPlaten([...args, "--data", data])).stdout.trim();
  const key = await platen("setup", "--email", "ada@example.com", "--title", "Ada", "--slug", "ada");
  for (const { url } of [flapping, steady]) await platen("webhook", "add", "--blog", "ada", url);

  const asked: string[] = [];
  const acknowledged: string[] = [];
  const ask = async (told: string, method: string, path: string, post?: object) => {
    asked.push(told);
    const response = await fetch(`${server.url}/api/v1/posts${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: post && JSON.stringify({ post }),
    });
    const body = await response.text();
    acknowledged.push(told);
    return body;
  };
  /** Publishes, changes, unpublishes and deletes posts until the server is gone. */
  const write = async (life: number) => {
    for (let number = 0; ; number++) {
      const slug = `p-${life}-${number}`;
      const created = await ask(`post.published ${slug} A`, "POST", "", {
        title: "A",
        slug,
        status: "published",
      });
      const path = `/${JSON.parse(created).post.id}`;
      await ask(`post.updated ${slug} B`, "PATCH", path, { title: "B" });
      if (number % 2 === 0) await ask(`post.unpublished ${slug} B`, "PATCH", `${path}/unpublish`);
      else await ask(`post.deleted ${slug} B`, "DELETE", path);
      await Bun.sleep(5);
    }
  };

  for (let life = 0; life < CRASHES; life++) {
    const writing = write(life).catch(() => {}); // ends with the server
    await Bun.sleep(LIVES[life] as number);
    await server.kill();
    await writing;
    server = await startServer({ data, env });
  }
  await untilSettled(server, platen);
  await server.stop();

  expect(acknowledged.length).toBeGreaterThan(CRASHES * 3);
  for (const { received } of [flapping, steady]) {
    const heard = Map.groupBy(received, tellingOf);
    expect(acknowledged.filter((told) => !heard.has(told))).toEqual([]);
    expect([...heard.keys()].filter((told) => !asked.includes(told))).toEqual([]);
    const idsOf = (requests: Received[]) => new Set(requests.map(({ id }) => id));
    expect([...heard.values()].filter((requests) => idsOf(requests).size !== 1)).toEqual([]);
    expect(idsOf(received).size).toBe(heard.size);
  }
}, 60_000);

function tellingOf({ payload }: Received): string {
  return `${payload.event} ${payload.post.slug} ${payload.post.title}`;
}

async function untilSettled(
  server: RunningServer,
  platen: (...args: string[]) => Promise<string>,
): Promise<void> {
  for (;;) {
    const rows: { state: string }[] = JSON.parse(await platen("webhook", "log", "--json"));
    if (rows.every(({ state }) => state === "delivered")) return;
    if (rows.some(({ state }) => state === "failed")) throw new Error(server.stderr());
  }
}

test("a post whose time came while the server was down is announced once, when it is up again", async () => {
  const { url, received } = receiver();
  const env = { PLATEN_PRIVATE_HOSTS: "127.0.0.1" };
  const first = await startServer({ env });
  const { data } = first;
  const setup = ["setup", "--email", "ada@example.com", "--title", "Ada", "--slug", "ada", "--data", data];
  const key = (await runPlaten(setup)).stdout.trim();
  await runPlaten(["webhook", "add", "--blog", "ada", url, "--data", data]);
  const publishedAt = new Date(Date.now() + 500);
  await fetch(`${first.url}/api/v1/posts`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ post: { title: "Later", status: "published", published_at: publishedAt } }),
  });
  await first.kill();
  expect(received).toEqual([]);
  await Bun.sleep(Math.max(0, publishedAt.getTime() - Date.now()));

  const second = await startServer({ data, env });
  while (received.length === 0) await Bun.sleep(10);
  await second.stop();
  const third = await startServer({ data, env });
  await Bun.sleep(300);
  await third.stop();
  expect(received.map(({ payload }) => payload.event)).toEqual(["post.published"]);
}, 30_000);
