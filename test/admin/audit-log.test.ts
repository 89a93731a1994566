import { expect, test } from "bun:test";
import { makeAppKey, revokeAppKeys } from "../../src/accounts/app-tokens";
import { deleteOldAuditEvents, listAuditEvents } from "../../src/accounts/audit-log";
import { invite } from "../../src/accounts/people-and-invitations";
import { configureBlog } from "../../src/blogs/blog-settings";
import { acts } from "../../src/database/schema";
import { removeBlog } from "../../src/upkeep/removal/removal";
import { browserAt } from "../support/cookie-browser";
import { DAY, HOUR } from "../support/platen";
import { runPlaten } from "../support/program";
import { type Owned, PASSWORD, startOwned } from "./owner";

const ALL = "/admin/people/log";
const OWN = "/admin/account/log";

/** @returns a function that returns events since its last call, oldest first: who, what, about what */
function newsOf(owned: Owned) {
  let last = 0;
  return () => {
    const rows = listAuditEvents(owned.platen, null, 1, 1000).filter(({ id }) => id > last);
    last = Math.max(last, ...rows.map(({ id }) => id));
    return rows.toReversed().map(({ by, act, about }) => [by, act, about]);
  };
}

test("changes to accounts, keys and blogs are logged with who made them", async () => {
  const owned = await startOwned();
  const { platen, account, browser } = owned;
  const news = newsOf(owned);
  news();
  await browser.post("/admin/account", { do: "profile", name: "Ada L", email: account.email });
  expect(news()).toEqual([[account.email, "changed name or e-mail", "Ada L, ada@example.com"]]);
  await browser.post("/admin/account", { do: "profile", name: "Ada L", email: account.email });
  expect(news()).toEqual([]);
  await browser.post("/admin/account", { do: "password", current: PASSWORD, password: "another long one" });
  expect(news()).toEqual([[account.email, "changed the password", ""]]);
  const app = { name: "App", clientId: "https://app.example/", scopes: ["read"], blogIds: null };
  makeAppKey(platen, account, app);
  revokeAppKeys(platen, account);
  expect(news()).toEqual([
    [account.email, "made a key", "App"],
    [account.email, "revoked keys of apps", "1"],
  ]);
  const bob = owned.newAccount("bob@example.com");
  const path = `/admin/people/${bob.id}`;
  for (const verb of ["admin", "author", "disable", "enable"]) await browser.post(path, { do: verb });
  await browser.post("/admin/people", { do: "invite", for: "Cy", role: "author" });
  await browser.post("/admin/people", { do: "revoke", id: "1" });
  await browser.post(path, { do: "remove", sure: "yes" });
  const byAda = (...done: [string, string?][]) =>
    done.map(([act, about = ""]) => [account.email, act, about]);
  expect(news()).toEqual([
    ["bob@example.com", "added an account", "bob"],
    ...byAda(["made admin"], ["made author"], ["disabled"], ["enabled"]),
    ...byAda(["invited", "an author Cy"], ["revoked an invitation", "Cy"]),
    ...byAda(["began to remove an account", "bob"]),
  ]);
  const blog = owned.newBlog({ title: "Garden" });
  configureBlog(platen, blog, { title: "Garden", timeZone: "Europe/Berlin", postsAPage: blog.postsAPage });
  await removeBlog(platen, blog);
  expect(news()).toEqual(
    byAda(
      ["added a blog", "Garden"],
      ["changed settings", "Garden: time zone"],
      ["removed a blog", "Garden"],
    ),
  );
});

test("sign-ins are logged with device and network; wrong passwords once an hour", async () => {
  const owned = await startOwned();
  const news = newsOf(owned);
  news();
  const { url } = owned.platen.config;
  const enter = (email: string, password: string) =>
    browserAt(url, owned.fetch).post(
      "/auth/sign-in",
      { email, password },
      { origin: url, "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0" },
    );
  for (let guess = 0; guess < 4; guess++) await enter("ada@example.com", "guess");
  await enter("nobody@example.com", "guess");
  await enter("ada@example.com", PASSWORD);
  expect(news()).toEqual([
    ["someone", "sign-in failed", "Firefox on Linux"],
    ["someone", "sign-in failed", "Firefox on Linux"],
    ["ada@example.com", "signed in", "Firefox on Linux"],
  ]);
  const page = await (await owned.browser.get(OWN)).text();
  expect(page).toContain("Sign-in failed 4 times");
  owned.pass(HOUR);
  await enter("ada@example.com", "guess");
  expect(news()).toHaveLength(1);
  const stored = JSON.stringify(owned.platen.db.select().from(acts).all());
  for (const secret of ["guess", PASSWORD, "nobody@example.com"]) expect(stored).not.toContain(secret);
});

test("admins see all events, other people those of their own account", async () => {
  const owned = await startOwned();
  const account = owned.newAccount("bob@example.com");
  const bob = await owned.browserOf(account);
  owned.newKey({ name: "Ada's key" });
  owned.newKey({ name: "Bob's key" }, account);
  const all = await (await owned.browser.get(ALL)).text();
  for (const words of ["Ada&#x27;s key", "Bob&#x27;s key"]) expect(all).toContain(words);
  expect((await bob.get(ALL)).status).toBe(403);
  const own = await (await bob.get(OWN)).text();
  expect([own.includes("Bob&#x27;s key"), own.includes("Ada&#x27;s key")]).toEqual([true, false]);
});

test("the log counts permanently deleted posts, without their titles", async () => {
  const owned = await startOwned();
  const { id } = (await owned.api("POST", "/posts", { post: { title: "A secret draft" } })).body.post;
  await owned.api("DELETE", `/posts/${id}`);
  const news = newsOf(owned);
  news();
  const deletion = "/admin/blogs/ada/posts/trash/deletion";
  await owned.browser.post(deletion, { id: String(id) });
  expect(news()).toEqual([]);
  await owned.browser.post(deletion, { id: String(id), sure: "yes" });
  expect(news()).toEqual([["ada@example.com", "deleted posts permanently", "1"]]);
});

test("changes made by a command are logged as the command line", async () => {
  const owned = await startOwned();
  const news = newsOf(owned);
  news();
  const data = owned.platen.config.data;
  await runPlaten(["key", "add", "--account", "ada@example.com", "--name", "Cron", "--data", data]);
  await runPlaten(["account", "add", "--email", "bob@example.com", "--data", data]);
  expect(news()).toEqual([
    ["the command line", "made a key", "Cron"],
    ["the command line", "added an account", "bob"],
  ]);
});

test("a rejected change is not logged", async () => {
  const owned = await startOwned();
  const news = newsOf(owned);
  news();
  await owned.browser.post("/admin/account", { do: "profile", name: "Ada", email: "no address" });
  await owned.browser.post("/admin/account", {
    do: "password",
    current: "wrong",
    password: "another long one",
  });
  expect(() => owned.newAccount("ada@example.com")).toThrow();
  expect(news()).toEqual([]);
});

test("the log has pages, and keeps at most ten thousand events for a year", async () => {
  const owned = await startOwned();
  const { platen } = owned;
  const count = () => platen.db.select().from(acts).all().length;
  owned.pass(365 * DAY + 1);
  invite(platen, { invitedBy: owned.account });
  deleteOldAuditEvents(platen);
  expect(count()).toBe(1);
  platen.db.$client.run(
    `INSERT INTO acts ("by", act, created_at) WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
     SELECT 'ada@example.com', 'made a key', ${platen.now().getTime()} FROM n`,
  );
  deleteOldAuditEvents(platen);
  expect(count()).toBe(10_000);
  const browser = await owned.browserOf(owned.account);
  expect(await (await browser.get(`${ALL}?page=3`)).text()).toContain("3 of 201");
});
