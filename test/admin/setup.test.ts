import { expect, test } from "bun:test";
import { setupToken } from "../../src/admin/setup-token";
import { accounts, blogs, keys } from "../../src/database/schema";
import { browserAt } from "../support/cookie-browser";
import { MINUTE, startPlaten, type TestPlaten } from "../support/platen";

/** A Platen without an account, and the token of its setup link. */
function startWithoutAccount(): TestPlaten & { token: string } {
  const at = startPlaten();
  at.platen.db.delete(blogs).run();
  at.platen.db.delete(accounts).run();
  return { ...at, token: setupToken(at.platen) as string };
}

const ANSWERS = {
  email: "grace@example.com",
  name: "Grace",
  password: "a long enough one",
  title: "Logbook",
};

const send = (at: TestPlaten, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  at.fetch("/setup", { method: "POST", body: new URLSearchParams(fields), headers });

test("before setup, the home page says where to find the setup link, without its token", async () => {
  const at = startWithoutAccount();
  const answer = await at.fetch("/");
  expect(answer.status).toBe(200);
  const page = await answer.text();
  expect(page).toContain("not set up yet");
  expect(page).not.toContain(at.token);
  expect((await at.fetch("/anything")).status).toBe(404);
});

test("sign-in redirects to setup until there is an account", async () => {
  const at = startWithoutAccount();
  const browser = browserAt(at.platen.config.url, at.fetch);
  const signIn = (await browser.get("/admin")).headers.get("location") as string;
  expect((await browser.get(signIn)).headers.get("location")).toBe("/");
  await send(at, { ...ANSWERS, token: at.token });
  expect((await browser.get(signIn)).status).toBe(200);
});

test("the setup form creates the account and the blog and signs in", async () => {
  const at = startWithoutAccount();
  const form = await at.fetch(`/setup?token=${at.token}`);
  expect([form.status, form.headers.get("cache-control")]).toEqual([200, "no-store"]);
  expect(await form.text()).toContain(`name="token" value="${at.token}"`);

  const browser = browserAt(at.platen.config.url, at.fetch);
  const done = await browser.post("/setup", { ...ANSWERS, slug: "log", token: at.token });
  expect([done.status, done.headers.get("cache-control")]).toEqual([200, "no-store"]);
  const page = await done.text();
  expect(page).toContain("Logbook is ready");
  expect(page).toContain('<a href="/admin/keys">Create an API key</a>');
  expect(page).not.toContain("platen_");
  expect(at.platen.db.select().from(keys).all()).toHaveLength(0);
  expect(await (await browser.get("/admin/keys")).text()).toContain("No keys yet");
  expect(at.platen.db.select().from(accounts).get()).toMatchObject({ isAdmin: true });
  expect(await (await at.fetch("/")).text()).toContain("Logbook");
});

test("the blog gets the browser's time zone if it is valid", async () => {
  for (const [sent, zone] of [
    ["America/New_York", "America/New_York"],
    ["Here/There", "UTC"],
  ] as const) {
    const at = startWithoutAccount();
    expect(await (await at.fetch(`/setup?token=${at.token}`)).text()).toMatch(/<script[^>]+own-time-zone/);
    const page = await (await send(at, { ...ANSWERS, token: at.token, time_zone: sent })).text();
    expect(page).toContain(`Time zone: ${zone.replace("_", " ")}`);
    expect(at.platen.db.select().from(blogs).get()?.timeZone).toBe(zone);
  }
});

test("the blog gets the browser's preferred language if it is valid", async () => {
  for (const [preferred, language, name] of [
    ["de-DE,de;q=0.9,en;q=0.8", "de", "German"],
    ["en-GB;q=1", "en-GB", "British English"],
    ["en-US,en;q=0.5", "en", "English"],
    ["zh-tw", "zh-TW", "Chinese (Taiwan)"],
    ["en-GB-u-hc-h12", "en-GB", "British English"],
    ["de-x-private", "de", "German"],
    ["*", "en", "English"],
    ["german, de", "en", "English"],
    [`de,${"en,".repeat(400)}`, "en", "English"],
    ["", "en", "English"],
  ] as const) {
    const at = startWithoutAccount();
    const sent = await send(at, { ...ANSWERS, token: at.token }, { "accept-language": preferred });
    expect(await sent.text()).toContain(`Language: ${name}.`);
    expect(at.platen.db.select().from(blogs).get()?.language).toBe(language);
    expect(await (await at.fetch("/")).text()).toContain(`lang="${language}"`);
  }
});

test("setup ends at a first post that has a title", async () => {
  const at = startWithoutAccount();
  const browser = browserAt(at.platen.config.url, at.fetch);
  const page = await (await browser.post("/setup", { ...ANSWERS, token: at.token })).text();
  const [, action = ""] = /<form method="get" action="([^"]+)"/.exec(page) ?? [];
  expect(page).toContain('name="title"');
  const writing = await browser.get(`${action}?title=The+first+<tide>`);
  expect(writing.status).toBe(200);
  expect(await writing.text()).toMatch(/<textarea id="title"[^>]*>\nThe first &lt;tide&gt;</);
});

test("the setup link works once", async () => {
  const at = startWithoutAccount();
  await send(at, { ...ANSWERS, token: at.token });
  expect((await at.fetch(`/setup?token=${at.token}`)).status).toBe(403);
  expect((await send(at, { ...ANSWERS, email: "eve@example.com", token: at.token })).status).toBe(403);
  expect(at.platen.db.select().from(accounts).all()).toHaveLength(1);
});

test("without the right token the page says how to get a link", async () => {
  const at = startWithoutAccount();
  for (const path of ["/setup", "/setup?token=", "/setup?token=guess"]) {
    const answer = await at.fetch(path);
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain("Restart Platen to get a new one");
  }
  expect((await send(at, { ...ANSWERS, token: "guess" })).status).toBe(403);
  expect(at.platen.db.select().from(accounts).all()).toHaveLength(0);
});

test("an error is reported at its field, and all fields but the password keep their values", async () => {
  const at = startWithoutAccount();
  const wrong: [Record<string, string>, string][] = [
    [{ email: "nobody" }, "E-mail must be like you@example.com."],
    [{ email: "no body@example.com" }, "E-mail must be like you@example.com."],
    [{ email: "no@body@example.com" }, "E-mail must be like you@example.com."],
    [{ email: "nobody@" }, "E-mail must be like you@example.com."],
    [{ email: `${"n".repeat(243)}@example.com` }, "E-mail must be like you@example.com."],
    [{ password: "short" }, "Password must be 10 to 1000 characters long."],
    [{ title: " " }, "Title must not be empty."],
    [{ slug: "!?" }, "Slug must contain a letter or digit."],
  ];
  for (const [fields, fault] of wrong) {
    const answer = await send(at, { ...ANSWERS, name: 'Grace "Amazing" <H>', ...fields, token: at.token });
    expect(answer.status).toBe(422);
    const page = await answer.text();
    expect(page).toContain(fault);
    expect(page).toContain('value="Grace &quot;Amazing&quot; &lt;H&gt;"');
    expect(page).not.toContain(fields.password ?? ANSWERS.password);
  }
  expect(at.platen.db.select().from(accounts).all()).toHaveLength(0);
  expect(at.platen.db.select().from(blogs).all()).toHaveLength(0);
});

test("all errors are reported at once, each at its field; nothing is created", async () => {
  const at = startWithoutAccount();
  const wrong = { email: "nobody", name: "x".repeat(201), password: "short", title: " ", slug: "!?" };
  const answer = await send(at, { ...wrong, token: at.token });
  expect(answer.status).toBe(422);
  const page = await answer.text();
  const messages = [...page.matchAll(/<p class="wrong" id="(\w+)-fault">([^<]+)</g)].map(
    ([, ...field]) => field,
  );
  expect(messages).toEqual([
    ["email", "E-mail must be like you@example.com."],
    ["name", "Name must be at most 200 characters."],
    ["password", "Password must be 10 to 1000 characters long."],
    ["title", "Title must not be empty."],
    ["slug", "Slug must contain a letter or digit."],
  ]);
  for (const value of ["nobody", wrong.name, "!?"]) expect(page).toContain(`value="${value}"`);
  expect(at.platen.db.select().from(accounts).all()).toHaveLength(0);
});

test("two forms sent at the same time create one account", async () => {
  const at = startWithoutAccount();
  const answers = await Promise.all([1, 2].map(() => send(at, { ...ANSWERS, token: at.token })));
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409]);
  expect(at.platen.db.select().from(accounts).all()).toHaveLength(1);
});

test("guesses are limited with Retry-After; a valid link still works", async () => {
  const at = startWithoutAccount();
  for (let guess = 0; guess < 20; guess++)
    expect((await at.fetch(`/setup?token=guess-${guess}`)).status).toBe(403);
  const refused = await at.fetch("/setup?token=one-more");
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "30"]);
  expect((await at.fetch(`/setup?token=${at.token}`)).status).toBe(200);
  at.pass(MINUTE);
  expect((await at.fetch("/setup?token=one-more")).status).toBe(403);
});

test("after setup, attempts are not counted", async () => {
  const at = startWithoutAccount();
  await send(at, { ...ANSWERS, token: at.token });
  for (let visit = 0; visit < 30; visit++) expect((await at.fetch("/setup?token=x")).status).toBe(403);
});

test("a form that is too large is rejected without being read", async () => {
  const at = startWithoutAccount();
  const answer = await send(at, { ...ANSWERS, token: at.token, name: "x".repeat(100_000) });
  expect(answer.status).toBe(413);
});

test("the e-mail field has the focus, or the first field with an error", async () => {
  const at = startWithoutAccount();
  expect(await (await at.fetch(`/setup?token=${at.token}`)).text()).toMatch(
    /<input id="email"[^>]* autofocus/,
  );
  const wrong = { ...ANSWERS, password: "short", title: "", token: at.token };
  const page = await (await send(at, wrong)).text();
  expect(page.match(/<input id="(\w+)"[^>]* autofocus/g)).toHaveLength(1);
  expect(page).toMatch(/<input id="password"[^>]* autofocus/);
});
