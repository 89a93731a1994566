import { expect, test } from "bun:test";
import { accountById } from "../../src/accounts/accounts";
import { makeAppKey } from "../../src/accounts/app-tokens";
import { sessionsOf, startSession } from "../../src/accounts/sessions";
import { networkName } from "../../src/http/requests/client-address";
import { type Browser, browserAt } from "../support/cookie-browser";
import { DAY, HOUR, MINUTE } from "../support/platen";
import { type Owned, PASSWORD, startOwned } from "./owner";

const PAGE = "/admin/account";
const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const IPHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1";

const isSignedIn = async (browser: Browser) => (await browser.get(PAGE)).status === 200;
const signedIn = async (owned: Owned, headers: Record<string, string> = {}, password = PASSWORD) => {
  const { url } = owned.platen.config;
  const browser = browserAt(url, owned.fetch);
  await browser.post("/auth/sign-in", { email: owned.account.email, password }, { origin: url, ...headers });
  return browser;
};

test("name and e-mail are changed; an invalid value is reported at its field and changes nothing", async () => {
  const owned = await startOwned();
  owned.newAccount("bob@example.com");
  const wrong = await owned.browser.post(PAGE, { do: "profile", name: "Ada L", email: " BOB@example.com" });
  expect(wrong.status).toBe(422);
  const page = await wrong.text();
  expect(page).toContain("E-mail belongs to an account already.");
  expect(page).toContain('value="Ada L"');
  const currentAccount = () => accountById(owned.platen, owned.account.id);
  expect(currentAccount()).toMatchObject({ name: "Ada", email: "ada@example.com" });
  const right = await owned.browser.post(PAGE, { do: "profile", name: "Ada L", email: "ada@example.org " });
  expect(right.headers.get("location")).toBe(PAGE);
  expect(currentAccount()).toMatchObject({ name: "Ada L", email: "ada@example.org" });
});

test("a new password ends all other sessions and keeps this browser signed in", async () => {
  const owned = await startOwned();
  const other = await signedIn(owned);
  const change = (current: string, password: string) =>
    owned.browser.post(PAGE, { do: "password", current, password });
  const refused = await change("not this one", "another long one");
  expect([refused.status, await refused.text()]).toEqual([
    422,
    expect.stringContaining("Current password is wrong."),
  ]);
  expect(await (await change(PASSWORD, "short")).text()).toContain("New password must be 10 to");
  expect(await isSignedIn(other)).toBe(true);
  expect((await change(PASSWORD, "another long one")).status).toBe(303);
  expect([await isSignedIn(owned.browser), await isSignedIn(other)]).toEqual([true, false]);
  expect(await isSignedIn(await signedIn(owned))).toBe(false);
  expect(await isSignedIn(await signedIn(owned, {}, "another long one"))).toBe(true);
  // Other clients use up the limit; the browser that changed the password has its own.
  for (let guess = 0; guess < 10; guess++) await signedIn(owned, {}, "guess");
  const enter = { email: owned.account.email, password: "another long one" };
  expect((await owned.browser.post("/auth/sign-in", enter)).status).toBe(303);
});

test("a new password keeps apps signed in unless the box to sign them out is ticked", async () => {
  const owned = await startOwned();
  const app = { name: "App", clientId: "https://app.example/", scopes: ["read"], blogIds: null };
  const { accessToken } = makeAppKey(owned.platen, owned.account, app);
  const isPasswordValid = async () =>
    (await owned.api("GET", "/info", undefined, { authorization: `Bearer ${accessToken}` })).status;
  await owned.browser.post(PAGE, { do: "password", current: PASSWORD, password: "another long one" });
  expect(await isPasswordValid()).toBe(200);
  const change = { do: "password", current: "another long one", password: PASSWORD, apps: "end" };
  await owned.browser.post(PAGE, change);
  expect(await isPasswordValid()).toBe(401);
});

test("a stolen session cannot be used to guess the password", async () => {
  const owned = await startOwned();
  const guess = async () =>
    (await owned.browser.post(PAGE, { do: "password", current: "guess", password: "another long one" }))
      .status;
  for (let count = 0; count < 10; count++) expect(await guess()).toBe(422);
  expect(await guess()).toBe(429);
  owned.pass(MINUTE);
  expect(await guess()).toBe(422);
});

test("lists sessions with device and network; a person can end their own sessions only", async () => {
  const owned = await startOwned();
  const phone = await signedIn(owned, { "user-agent": IPHONE });
  const desk = await signedIn(owned, { "user-agent": FIREFOX });
  const page = await (await owned.browser.get(PAGE)).text();
  for (const part of ["Safari on iPhone", "Firefox on Linux", "This browser", "Unknown browser"])
    expect(page).toContain(part);
  expect(page).not.toContain("Gecko");
  const hashOf = (device: string) =>
    sessionsOf(owned.platen, owned.account).find((row) => row.device === device)?.hash as string;
  const bob = await owned.browserOf(owned.newAccount("bob@example.com"));
  await bob.post(PAGE, { do: "end", session: hashOf("Safari on iPhone") });
  await bob.post(PAGE, { do: "end others" });
  expect(await isSignedIn(phone)).toBe(true);
  await owned.browser.post(PAGE, { do: "end", session: hashOf("Safari on iPhone") });
  expect([await isSignedIn(phone), await isSignedIn(desk)]).toEqual([false, true]);
  await owned.browser.post(PAGE, { do: "end others" });
  expect([await isSignedIn(desk), await isSignedIn(owned.browser), await isSignedIn(bob)]).toEqual([
    false,
    true,
    true,
  ]);
});

test("the list shows the 200 most recent sessions; all others end with one button", async () => {
  const owned = await startOwned();
  for (let count = 0; count < 250; count++) startSession(owned.platen, owned.account);
  owned.pass(2 * HOUR);
  const page = await (await owned.browser.get(PAGE)).text();
  expect(page.match(/name="do" value="end"/g)?.length).toBe(199);
  expect(page).toContain("This browser");
  await owned.browser.post(PAGE, { do: "end others" });
  expect(sessionsOf(owned.platen, owned.account)).toHaveLength(1);
});

test("the last use of a session is stored at most once an hour", async () => {
  const owned = await startOwned();
  const only = () => sessionsOf(owned.platen, owned.account)[0];
  const firstSeen = only()?.lastSeenAt?.getTime() as number;
  owned.pass(HOUR - 1);
  await owned.browser.get(PAGE);
  expect(only()?.lastSeenAt?.getTime()).toBe(firstSeen);
  owned.pass(1);
  await owned.browser.get(PAGE);
  expect(only()?.lastSeenAt?.getTime()).toBe(firstSeen + HOUR);
  owned.pass(31 * DAY);
  expect(only()).toBeUndefined();
});

test("a session stores only a truncated IP address", () => {
  expect(
    ["203.0.113.7", "2001:db8:1:2::3", "::1", "127.0.0.1", "fe80::1", ""].map((address) =>
      networkName(address),
    ),
  ).toEqual(["203.0.113.*", "2001:db8:1:*", "this machine", "this machine", "fe80:*", ""]);
});

test("forms of other sites are rejected; a signed-out browser is redirected to sign in", async () => {
  const owned = await startOwned();
  const evil = { origin: "https://evil.example" };
  for (const does of ["profile", "password", "end others"])
    expect((await owned.browser.post(PAGE, { do: does, name: "Eve" }, evil)).status).toBe(403);
  const stranger = browserAt(owned.platen.config.url, owned.fetch);
  expect((await stranger.get(PAGE)).headers.get("location")).toBe("/auth/sign-in?next=%2Fadmin%2Faccount");
  expect((await owned.browser.post(PAGE, { do: "constructor" })).status).toBe(400);
});
