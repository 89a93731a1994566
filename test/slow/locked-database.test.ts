import { expect, test } from "bun:test";
import { useServerBusyTimeout } from "../../src/database/open";
import { formIn, send } from "../admin/editor/post-form";
import { startOwned } from "../admin/owner";
import { post, submit, ticketIn, WORDS, write } from "../komments/forms";
import { lockDatabase } from "../support/other-program";
import { picture, uploadForm } from "../support/pictures";
import { HOUR, SECOND, startPlaten } from "../support/platen";
import { runPlaten, startServer } from "../support/program";

const LOCKED_MESSAGE =
  "Another program is writing to the database, so nothing was saved. Try again in a moment.";

test("while the database is locked, writes get Retry-After and pages are served", async () => {
  const at = startPlaten();
  useServerBusyTimeout(at.platen.db);
  await post(at);
  // The first form creates its secret.
  await write(at);
  const ticket = ticketIn(await (await at.fetch("/komments/tea")).text());
  at.pass(5 * SECOND);
  const send = () => at.api("POST", "/posts", { post: { title: "Coffee" } });
  const form = { h: "entry", content: "Milk", access_token: at.key };
  {
    using _lock = lockDatabase(at.platen.config.data);
    const komments = submit(at, "/komments/tea", { ...WORDS, ticket });
    const [refused, entry, komment] = await Promise.all([send(), submit(at, "/micropub", form), komments]);
    expect([refused.status, refused.body.message, refused.headers.get("retry-after")]).toEqual([
      503,
      LOCKED_MESSAGE,
      "5",
    ]);
    expect([entry.status, await entry.json()]).toMatchObject([503, { error_description: LOCKED_MESSAGE }]);
    const page = await komment.text();
    expect([komment.status, page.includes(LOCKED_MESSAGE), page.includes("Well said.")]).toEqual([
      503,
      true,
      true,
    ]);
    expect((await at.fetch("/tea")).status).toBe(200);
    expect((await at.api("GET", "/posts/1")).status).toBe(200);
  }
  expect((await send()).status).toBe(201);
  expect((await submit(at, "/micropub", form)).status).toBe(201);
  expect(at.log).toEqual([]);
});

test("a server and a command report the lock in the same words", async () => {
  await using server = await startServer();
  const setup = ["setup", "--data", server.data, "--email", "ada@example.com", "--title", "Ada"];
  const key = (await runPlaten(setup)).stdout.trim();
  using _lock = lockDatabase(server.data);
  const [answer, command] = await Promise.all([
    fetch(`${server.url}/api/v1/posts`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: '{"post":{"title":"Tea"}}',
    }),
    runPlaten(["blog", "set", "home", "--title", "Other", "--data", server.data]),
  ]);
  expect([answer.status, await answer.json()]).toMatchObject([503, { message: LOCKED_MESSAGE }]);
  expect(command).toMatchObject({ code: 1, stderr: `${LOCKED_MESSAGE}\n` });
});

test("writes wait for another program's transaction, and other requests are served meanwhile", async () => {
  const at = startPlaten();
  useServerBusyTimeout(at.platen.db);
  await post(at);
  await write(at);
  await at.api("POST", "/posts", { post: { title: "Water" } });
  // The first feed creates its secret.
  await at.fetch("/feed.xml");
  const ticket = ticketIn(await (await at.fetch("/komments/tea")).text());
  at.pass(5 * SECOND);
  const lock = lockDatabase(at.platen.config.data);
  let answered = 0;
  const writing = [
    at.api("POST", "/posts", { post: { title: "Coffee" } }),
    at.api("PUT", "/posts/1", { post: { title: "Black tea" } }),
    at.api("DELETE", "/posts/2"),
    submit(at, "/micropub", { h: "entry", content: "Milk", access_token: at.key }),
    submit(at, "/komments/tea", { ...WORDS, ticket }),
  ].map((sent) => sent.finally(() => answered++));
  const paths = ["/livez", "/readyz", "/tea", "/feed.xml"];
  // Often enough that each task tries to write; on a busy machine less often, because each waits for two seconds.
  const until = performance.now() + SECOND / 2;
  for (const path of Array(20).fill(paths).flat()) {
    if (performance.now() > until) break;
    expect([path, (await at.fetch(path)).status]).toEqual([path, 200]);
    await new Promise(setImmediate);
  }
  expect((await at.api("GET", "/posts/1")).body.post.title).not.toBe("Black tea");
  expect(answered).toBe(0);
  lock[Symbol.dispose]();
  const statuses = (await Promise.all(writing)).map(({ status }) => status);
  expect(statuses).toEqual([201, 200, 204, 201, 303]);
  expect(at.log).toEqual([]);
});

test("an autosave and an upload get Retry-After while the database is locked", async () => {
  const { browser, platen, api } = await startOwned();
  useServerBusyTimeout(platen.db);
  await api("POST", "/posts", { post: { title: "Tea" } });
  const form = formIn(await (await browser.get("/admin/blogs/ada/posts/1")).text());
  form.set("title", "Green tea");
  form.set("kept", crypto.randomUUID());
  const picked = uploadForm(await picture(40, 30), "tea.jpg");
  picked.set("token", String(form.get("token")));
  using _lock = lockDatabase(platen.config.data);
  const sent = { unsaved: form, uploads: picked };
  for (const [name, body] of Object.entries(sent)) {
    const path = `/admin/blogs/ada/${name}${name === "unsaved" ? "/1" : ""}`;
    const answer = await browser.send(path, {
      method: "POST",
      body,
      headers: { origin: "http://blog.test" },
    });
    expect([name, answer.status, await answer.json(), answer.headers.get("retry-after")]).toEqual([
      name,
      503,
      { message: LOCKED_MESSAGE },
      "5",
    ]);
  }
});

test("a form that cannot be saved now is shown again with what was typed", async () => {
  const { browser, platen, api } = await startOwned();
  useServerBusyTimeout(platen.db);
  await api("POST", "/posts", { post: { title: "Tea", content: "Black" } });
  // The first page creates its secret.
  await browser.get("/admin/account");
  const typed = `<p>Green ${"tea ".repeat(50_000)}</p>`;
  const picked = new File([await picture()], "tea.jpg");
  const save = async (path: string, action = "save", files: File[] = []) => {
    const form = formIn(await (await browser.get(path)).text());
    const version = form.get("version");
    for (const file of files) form.append("files", file);
    form.set("title", "Green tea");
    form.set("content", typed);
    const answer = await send(browser, path, action, form);
    const page = await answer.text();
    const again = formIn(page);
    const { status, headers } = answer;
    expect([again.get("title"), again.get("content"), again.get("version")]).toEqual([
      "Green tea",
      typed,
      version,
    ]);
    return {
      status,
      retry: headers.get("retry-after"),
      says: /<p class="wrong" role="alert">(.*?)</.exec(page)?.[1],
    };
  };
  {
    using _lock = lockDatabase(platen.config.data);
    const refused = await Promise.all([
      save("/admin/blogs/ada/posts/1"),
      save("/admin/blogs/ada/posts/new"),
      save("/admin/blogs/ada/posts/1", "share"),
      save("/admin/blogs/ada/posts/1", "save", [picked]),
    ]);
    for (const answer of refused) expect(answer).toEqual({ status: 503, retry: "5", says: LOCKED_MESSAGE });
  }
  const { $client } = platen.db;
  // SQLite reports this on a read-only disk.
  $client.run("PRAGMA query_only = ON");
  const closed = "The database is damaged or read-only, so nothing can be saved until";
  for (const path of ["/admin/blogs/ada/posts/1", "/admin/blogs/ada/posts/new"])
    expect(await save(path)).toEqual({ status: 503, retry: null, says: expect.stringContaining(closed) });
  $client.run("PRAGMA query_only = OFF");
  const { page_count } = $client.query("PRAGMA page_count").get() as { page_count: number };
  $client.run(`PRAGMA max_page_count = ${page_count}`);
  const full = "The server&#x27;s disk is full, so nothing was saved. Free some space, then try again.";
  expect(await save("/admin/blogs/ada/posts/1")).toEqual({ status: 507, retry: null, says: full });
});

test("an admin page is shown while another program writes, and the visit is stored later", async () => {
  const at = await startOwned();
  const { browser } = at;
  // The first page creates its secret.
  await browser.get("/admin/account");
  at.pass(2 * HOUR);
  const lastSeen = () => at.platen.db.$client.query("SELECT last_seen_at FROM sessions").get();
  const before = lastSeen();
  {
    using _lock = lockDatabase(at.platen.config.data);
    expect((await browser.get("/admin/account")).status).toBe(200);
    expect(lastSeen()).toEqual(before);
  }
  expect((await browser.get("/admin/account")).status).toBe(200);
  expect(lastSeen()).not.toEqual(before);
});
