import { expect, test } from "bun:test";
import { accountWithEmail } from "../../src/accounts/accounts";
import {
  assertInvitation,
  deleteEndedInvitations,
  invite,
  makeAuthor,
} from "../../src/accounts/people-and-invitations";
import { blogsOf } from "../../src/blogs/blogs";
import { JOB_KINDS } from "../../src/commands/channels-and-job-kinds";
import { accounts, invitations } from "../../src/database/schema";
import { jobRunner } from "../../src/jobs/job-runner";
import { findJob } from "../../src/jobs/jobs";
import { type Browser, browserAt } from "../support/cookie-browser";
import { DAY, MINUTE } from "../support/platen";
import { type Owned, startOwned } from "./owner";

const PEOPLE = "/admin/people";
const BOB = {
  email: "bob@example.com",
  name: "Bob",
  password: "a password of Bob's",
  title: "Bob's Walks",
  slug: "",
};

const newBrowser = (owned: Owned) => browserAt(owned.platen.config.url, owned.fetch);

/** Path of a new invitation's link on the page. */
async function inviteBy(browser: Browser, role = "author"): Promise<string> {
  const page = await (await browser.post(PEOPLE, { do: "invite", for: "Bob", role })).text();
  return /http:\/\/blog\.test(\/auth\/join\/[\w-]{43})\n?<\/textarea>/.exec(page)?.[1] as string;
}

const whoIs = (owned: Owned, email: string) => {
  const account = accountWithEmail(owned.platen, email);
  if (!account) return null;
  return { account, path: `${PEOPLE}/${account.id}`, blogs: blogsOf(owned.platen, account) };
};

test("an invitation creates one account with a blog, which sees no other blog", async () => {
  const owned = await startOwned();
  const link = await inviteBy(owned.browser);
  const bob = newBrowser(owned);
  expect(await (await bob.get(link)).text()).toContain("You are invited");
  const joined = await bob.post(link, BOB);
  expect([joined.status, joined.headers.get("location")]).toEqual([303, "/admin"]);
  expect(whoIs(owned, BOB.email)).toMatchObject({
    account: { name: "Bob", isAdmin: false },
    blogs: [{ title: "Bob's Walks", slug: "bobs-walks" }],
  });
  expect((await bob.get("/admin/blogs/bobs-walks")).status).toBe(200);
  expect((await bob.get("/admin/blogs/ada")).status).toBe(403);
  for (const path of [PEOPLE, `${PEOPLE}/1`]) expect((await bob.get(path)).status).toBe(403);
  expect((await bob.post(PEOPLE, { do: "invite", role: "admin" })).status).toBe(403);
  expect(await (await bob.get("/admin/blogs/bobs-walks")).text()).not.toContain(PEOPLE);

  const second = await newBrowser(owned).post(link, { ...BOB, email: "eve@example.com" });
  expect([second.status, whoIs(owned, "eve@example.com")]).toEqual([403, null]);
});

test("a form of another site neither creates an account nor signs in", async () => {
  const owned = await startOwned();
  const link = await inviteBy(owned.browser);
  const bob = newBrowser(owned);
  const elsewhere: Record<string, string>[] = [
    { origin: "https://evil.example" },
    { "sec-fetch-site": "cross-site" },
  ];
  for (const from of elsewhere) expect((await bob.post(link, BOB, from)).status).toBe(403);
  expect([whoIs(owned, BOB.email), [...bob.cookies]]).toEqual([null, []]);
  expect((await bob.post(link, BOB, {})).status).toBe(303);
});

test("an error does not use up the invitation; an invited admin needs no blog", async () => {
  const owned = await startOwned();
  const asAuthor = await inviteBy(owned.browser);
  const guest = newBrowser(owned);
  const refused = await guest.post(asAuthor, {
    ...BOB,
    email: "ADA@example.com",
    password: "short",
    title: "",
  });
  expect(refused.status).toBe(422);
  const page = await refused.text();
  for (const fault of [
    "E-mail belongs to an account already.",
    "Password must be 10 to",
    "Title must not be empty.",
    'value="Bob"',
  ])
    expect(page).toContain(fault);
  expect(owned.platen.db.select().from(accounts).all()).toHaveLength(1);
  expect((await guest.post(asAuthor, { ...BOB, name: "x".repeat(5000) })).status).toBe(400);
  const asAdmin = await inviteBy(owned.browser, "admin");
  expect((await guest.post(asAdmin, { ...BOB, title: " " })).status).toBe(303);
  expect(whoIs(owned, BOB.email)).toMatchObject({ account: { isAdmin: true }, blogs: [] });
  expect((await guest.get(PEOPLE)).status).toBe(200);
  expect(
    (await newBrowser(owned).post(asAuthor, { ...BOB, email: "cy@example.com", title: "Cy" })).status,
  ).toBe(303);
});

test("an invitation is stored as a hash, and expires after seven days or when it is revoked", async () => {
  const owned = await startOwned();
  const [first, second] = [await inviteBy(owned.browser), await inviteBy(owned.browser)];
  const rows = owned.platen.db.select().from(invitations).all();
  expect(JSON.stringify(rows)).not.toContain(first.split("/").at(-1));
  const list = await (await owned.browser.get(PEOPLE)).text();
  expect(list).not.toContain("/auth/join/");
  expect(list).toContain("Revoke");
  await owned.browser.post(PEOPLE, { do: "revoke", id: String(rows[0]?.id) });
  expect((await newBrowser(owned).get(first)).status).toBe(403);
  owned.pass(7 * DAY - 1);
  expect((await newBrowser(owned).get(second)).status).toBe(200);
  owned.pass(1);
  expect((await newBrowser(owned).get(second)).status).toBe(403);
  expect(() => assertInvitation(owned.platen, second.split("/").at(-1) as string)).toThrow(
    "older than 7 days",
  );
  deleteEndedInvitations(owned.platen);
  expect(owned.platen.db.select().from(invitations).all()).toEqual([]);
});

test("invitations of disabled people and of former admins are revoked", async () => {
  const owned = await startOwned();
  await newBrowser(owned).post(await inviteBy(owned.browser, "admin"), BOB);
  const bob = whoIs(owned, BOB.email);
  const bobs = newBrowser(owned);
  await bobs.get("/auth/sign-in");
  await bobs.post("/auth/sign-in", { email: BOB.email, password: BOB.password });
  const openInvitation = await inviteBy(owned.browser);
  for (const verb of ["author", "disable"]) {
    const link = await inviteBy(bobs, "admin");
    expect((await owned.browser.post(bob?.path as string, { do: verb })).status).toBe(303);
    const again = await newBrowser(owned).post(link, { ...BOB, email: "bob2@example.com" });
    expect([again.status, whoIs(owned, "bob2@example.com")]).toEqual([403, null]);
    await owned.browser.post(bob?.path as string, { do: "admin" });
  }
  expect((await newBrowser(owned).get(openInvitation)).status).toBe(200);
});

test("at most two hundred invitations are open at once", async () => {
  const owned = await startOwned();
  for (let open = 0; open < 200; open++) invite(owned.platen, { invitedBy: owned.account });
  const refused = await owned.browser.post(PEOPLE, { do: "invite", for: "Bob", role: "author" });
  expect(refused.status).toBe(409);
  expect(await refused.text()).toContain(
    "200 invitations are pending already. Revoke those that nobody will use.",
  );
  const [row] = owned.platen.db.select().from(invitations).all();
  await owned.browser.post(PEOPLE, { do: "revoke", id: String(row?.id) });
  expect(await inviteBy(owned.browser)).toContain("/auth/join/");
});

test("links and e-mail addresses cannot be guessed: 429 after twenty attempts", async () => {
  const owned = await startOwned();
  const stranger = newBrowser(owned);
  for (let guess = 0; guess < 20; guess++)
    expect((await stranger.get(`/auth/join/${guess}`)).status).toBe(403);
  expect((await stranger.get("/auth/join/more")).status).toBe(429);
  const link = await inviteBy(owned.browser);
  expect((await stranger.get(link)).status).toBe(200);
  expect((await stranger.post(link, { ...BOB, email: "ada@example.com" })).status).toBe(429);
  owned.pass(MINUTE);
  expect((await stranger.post(link, BOB)).status).toBe(303);
});

test("a disabled account is signed out, and its password and keys are rejected until it is enabled", async () => {
  const owned = await startOwned();
  const account = owned.newAccount("bob@example.com");
  const bob = await owned.browserOf(account);
  const blog = owned.newBlog({ slug: "bobs", title: "Bob's" }, account);
  const key = owned.newKey({}, account);
  const statusWithKey = async () =>
    (await owned.api("GET", "/info", undefined, { authorization: `Bearer ${key}` })).status;
  const path = `${PEOPLE}/${account.id}`;
  expect([(await bob.get("/admin/account")).status, await statusWithKey()]).toEqual([200, 200]);
  await owned.browser.post(path, { do: "disable" });
  expect([(await bob.get("/admin/account")).status, await statusWithKey()]).toEqual([303, 401]);
  const refused = await bob.post("/auth/sign-in", { email: account.email, password: "a long enough one" });
  expect([refused.status, await refused.text()]).toEqual([
    403,
    expect.stringContaining("This account is disabled."),
  ]);
  expect((await bob.post("/auth/sign-in", { email: account.email, password: "wrong" })).status).toBe(422);
  expect((await owned.fetch(`/@${blog.slug}/`)).status).toBe(200);
  await owned.browser.post(path, { do: "enable" });
  expect(await statusWithKey()).toBe(200);
  expect(
    (await bob.post("/auth/sign-in", { email: account.email, password: "a long enough one" })).status,
  ).toBe(303);
});

test("an author is made admin and back, but not by themselves; the last admin stays", async () => {
  const owned = await startOwned();
  const account = owned.newAccount("bob@example.com");
  const path = `${PEOPLE}/${account.id}`;
  const bob = await owned.browserOf(account);
  await owned.browser.post(path, { do: "admin" });
  expect((await bob.get(PEOPLE)).status).toBe(200);
  for (const verb of ["author", "disable", "remove"])
    expect((await bob.post(path, { do: verb, sure: "yes" })).status).toBe(403);
  await bob.post(`${PEOPLE}/1`, { do: "author" });
  expect((await owned.browser.get(PEOPLE)).status).toBe(403);
  await bob.post(`${PEOPLE}/1`, { do: "admin" });
  // A disabled admin does not count.
  await owned.browser.post(path, { do: "disable" });
  expect(() => makeAuthor(owned.platen, owned.account)).toThrow("This is the last admin");
});

test("removing a person shows what will be deleted; a job keeps a copy and removes account and blogs", async () => {
  const owned = await startOwned();
  const account = owned.newAccount("bob@example.com");
  owned.newBlog({ slug: "bobs", title: "Bob's" }, account);
  const path = `${PEOPLE}/${account.id}`;
  const confirmation = await (await owned.browser.post(path, { do: "remove" })).text();
  expect(confirmation).toContain("Only its settings");
  expect(whoIs(owned, account.email)).not.toBeNull();
  const startRemoval = async () =>
    (await owned.browser.post(path, { do: "remove", sure: "yes" })).headers.get("location") as string;
  const job = await startRemoval();
  expect([job, await startRemoval()]).toEqual(["/admin/jobs/1", job]);
  const runner = jobRunner(owned.platen, JOB_KINDS);
  runner.step();
  await runner.settled();
  expect(await (await owned.browser.get(job)).text()).toMatch(
    /Removal of bob[\s\S]*Removed; a copy is in [^<]*\/removed\/[\d-]{17}-account-bob-example-com</,
  );
  const { done = 0, total = 0 } = findJob(owned.platen, 1) ?? {};
  expect(done).toBeWithin(Math.ceil(total / 2), total + 1);
  expect(await (await owned.browser.get("/admin/people/log")).text()).toMatch(
    /Began to remove an account[\s\S]{0,80}by ada@example.com/,
  );
  expect(whoIs(owned, account.email)).toBeNull();
  expect((await owned.fetch("/@bobs/")).status).toBe(404);
  expect((await owned.browser.get(path)).status).toBe(404);
});

test("the list has pages and shows each person's role", async () => {
  const owned = await startOwned();
  for (let number = 0; number < 40; number++) owned.newAccount(`p${number}@example.com`);
  const first = await (await owned.browser.get(PEOPLE)).text();
  const last = await (await owned.browser.get(`${PEOPLE}?page=2`)).text();
  expect([first.match(/>Author</g)?.length, last.match(/>Author</g)?.length]).toEqual([29 + 1, 11 + 1]);
  expect(last).toContain("p39@example.com");
  expect(first).toContain("41 accounts");
});
