import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { post, submit, ticketIn, WORDS, write } from "../komments/forms";
import { SECOND, startPlaten } from "../support/platen";
import { runPlaten, startServer } from "../support/program";

const SAYS = "Another program is changing the database just now: nothing was stored. Try again in a moment.";

/** Another program's transaction, until the test lets go of it. */
function locked(data: string): Disposable {
  const other = new Database(join(data, "platen.db"));
  other.run("BEGIN IMMEDIATE");
  return { [Symbol.dispose]: () => other.close() };
}

test("while another program keeps the database locked, writing is told to come again, and pages are shown", async () => {
  const at = startPlaten();
  at.platen.db.$client.run("PRAGMA busy_timeout = 10");
  await post(at);
  // Its secrets are made with the first form.
  await write(at);
  const ticket = ticketIn(await (await at.fetch("/komments/tea")).text());
  at.pass(5 * SECOND);
  const send = () => at.api("POST", "/posts", { post: { title: "Coffee" } });
  const form = { h: "entry", content: "Milk", access_token: at.key };
  {
    using _lock = locked(at.platen.config.data);
    const refused = await send();
    expect([refused.status, refused.body.message, refused.headers.get("retry-after")]).toEqual([
      503,
      SAYS,
      "5",
    ]);
    const entry = await submit(at, "/micropub", form);
    expect([entry.status, await entry.json()]).toMatchObject([503, { error_description: SAYS }]);
    const komment = await submit(at, "/komments/tea", { ...WORDS, ticket });
    const page = await komment.text();
    expect([komment.status, page.includes(SAYS), page.includes("Well said.")]).toEqual([503, true, true]);
    expect((await at.fetch("/tea")).status).toBe(200);
    expect((await at.api("GET", "/posts/1")).status).toBe(200);
  }
  expect((await send()).status).toBe(201);
  expect((await submit(at, "/micropub", form)).status).toBe(201);
  expect(at.log).toEqual([]);
});

test("a server and a command say the same", async () => {
  await using server = await startServer();
  const setup = ["setup", "--data", server.data, "--email", "ada@example.com", "--title", "Ada"];
  const key = (await runPlaten(setup)).stdout.trim();
  using _lock = locked(server.data);
  const [answer, command] = await Promise.all([
    fetch(`${server.url}/api/v1/posts`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: '{"post":{"title":"Tea"}}',
    }),
    runPlaten(["blog", "set", "home", "--title", "Other", "--data", server.data]),
  ]);
  expect([answer.status, await answer.json()]).toMatchObject([503, { message: SAYS }]);
  expect(command).toMatchObject({ code: 1, stderr: `${SAYS}\n` });
});
