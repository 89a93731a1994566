import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { runPlaten, setUpBlog, startServer } from "../support/program";

const INBOXES = 20;
const KILLS = 4;

test("with 20 inboxes and 4 SIGKILLs, each inbox gets the post under one id", async () => {
  const arrived: { inbox: string; id: string }[] = [];
  const inboxes = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { id } = (await request.json()) as { id: string };
      arrived.push({ inbox: new URL(request.url).pathname, id });
      // Ensures that there are open requests when it is killed.
      await Bun.sleep(30);
      return new Response(null, { status: 202 });
    },
  });
  const { data, key } = await setUpBlog();
  const env = { PLATEN_URL: "http://127.0.0.1:1", PLATEN_PRIVATE_HOSTS: "127.0.0.1" };
  let server = await startServer({ data, env });
  await runPlaten(["reach", "set", "--blog", "ada", "--fediverse", "on", "--data", data]);
  addFollowers(join(data, "platen.db"), `http://127.0.0.1:${inboxes.port}`);
  const answer = await fetch(`${server.url}/api/v1/posts`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ post: { title: "Hello", content: "<p>Hi.</p>", status: "published" } }),
  });
  expect(answer.status).toBe(201);
  const untilArrived = async (count: number) => {
    for (let wait = 0; wait < 6000 && inboxesOf(arrived).size < count; wait++) await Bun.sleep(20);
  };
  for (let kill = 1; kill <= KILLS; kill++) {
    await untilArrived((kill * INBOXES) / (KILLS + 1));
    await server.kill();
    server = await startServer({ data, env });
  }
  await untilArrived(INBOXES);
  await server.stop();
  inboxes.stop(true);
  expect(inboxesOf(arrived).size).toBe(INBOXES);
  expect([...new Set(arrived.map(({ id }) => id))]).toEqual([expect.stringMatching(/#create$/)]);
}, 240_000);

const inboxesOf = (arrived: { inbox: string }[]) => new Set(arrived.map(({ inbox }) => inbox));

function addFollowers(path: string, origin: string): void {
  using db = new Database(path);
  for (let number = 1; number <= INBOXES; number++) {
    const url = `${origin}/users/${number}`;
    const inbox = `${url}/inbox`;
    const actor = { url, inbox, keyId: `${url}#key`, handle: `@${number}@social.example`, name: "Reader" };
    db.query(
      `INSERT INTO remote_actors (id, url, key_id, public_pem, inbox, handle, name, profile_url, fetched_at)
       VALUES (?, $url, $keyId, '', $inbox, $handle, $name, $url, 0)`.replace("?", String(number)),
    ).run(Object.fromEntries(Object.entries(actor).map(([name, value]) => [`$${name}`, value])));
    db.query(
      "INSERT INTO followers (blog_id, remote_actor_id, follow_id, inbox, created_at) VALUES (1, ?, ?, ?, 0)",
    ).run(number, `${url}#follow`, inbox);
    db.query("INSERT INTO receivers (channel, blog_id, url, created_at) VALUES ('fediverse', 1, ?, 0)").run(
      inbox,
    );
  }
}
