import { expect, test } from "bun:test";
import { accountById } from "../../src/accounts/accounts";
import { makeAppKey } from "../../src/accounts/app-tokens";
import { PASSWORD, startOwned } from "../admin/owner";
import { authPath, consent } from "../indieauth/app";
import { fieldsIn } from "../support/cookie-browser";
import { MINUTE } from "../support/platen";
import { enter, startSignIn } from "./signing-in";

const ASKED = 'name="password_again"';
const NEEDED = "Your password is required.";
const KEY = { do: "create", name: "Phone", scope: ["read", "create"], expires: "30d" };

test("creating a key asks for the password ten minutes after sign-in, and keeps the form", async () => {
  const { browser, pass } = await startOwned();
  const create = async (more: Record<string, string> = {}) => {
    const answer = await browser.post("/admin/keys", { ...KEY, ...more });
    return { status: answer.status, page: await answer.text() };
  };
  pass(9 * MINUTE);
  expect(await (await browser.get("/admin/keys")).text()).not.toContain(ASKED);
  expect((await create()).status).toBe(201);
  pass(2 * MINUTE);
  expect(await (await browser.get("/admin/keys")).text()).toContain(ASKED);
  const refused = await create();
  expect(refused.status).toBe(422);
  for (const text of [NEEDED, 'value="Phone"', '<option value="30d" selected>'])
    expect(refused.page).toContain(text);
  expect((await create({ password_again: "guess" })).page).toContain("is wrong");
  expect((await create({ password_again: PASSWORD })).status).toBe(201);
  pass(9 * MINUTE);
  expect((await create()).status).toBe(201);
  pass(2 * MINUTE);
  expect((await create()).status).toBe(422);
});

test("giving an app access asks for the password, telling it who one is does not", async () => {
  const at = await startSignIn();
  await enter(at.browser);
  at.pass(11 * MINUTE);
  const page = await (await at.browser.get(authPath())).text();
  expect(page).toContain(ASKED);
  const answer = (more: Record<string, string>) =>
    at.browser.post("/auth/consent", { ...fieldsIn(page), answer: "allow", ...more });
  for (const wrong of ["", "guess"]) expect((await answer({ password_again: wrong })).status).toBe(403);
  expect((await answer({ password_again: "", answer: "deny" })).status).toBe(302);
  expect((await answer({ password_again: PASSWORD })).status).toBe(302);
  at.pass(11 * MINUTE);
  await consent(at, { scope: "profile" });
});

test("changing the e-mail address asks for the password, changing the name does not", async () => {
  const { browser, pass, platen, account } = await startOwned();
  pass(11 * MINUTE);
  const save = (fields: Record<string, string>) =>
    browser.post("/admin/account", { do: "profile", ...fields });
  expect((await save({ name: "Ada L", email: "ada@example.com" })).status).toBe(303);
  const refused = await save({ name: "Ada L", email: "eve@example.com" });
  expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining(NEEDED)]);
  expect(accountById(platen, account.id)?.email).toBe("ada@example.com");
  const saved = { name: "Ada L", email: "eve@example.com", password_again: PASSWORD };
  expect((await save(saved)).status).toBe(303);
  expect(accountById(platen, account.id)?.email).toBe("eve@example.com");
});

test("inviting somebody and making an admin ask for the password", async () => {
  const at = await startOwned();
  const bob = at.newAccount("bob@example.com");
  at.pass(11 * MINUTE);
  const invite = (more = {}) =>
    at.browser.post("/admin/people", { do: "invite", for: "Carol", role: "admin", ...more });
  const refused = await invite();
  expect(refused.status).toBe(422);
  const page = await refused.text();
  for (const text of [NEEDED, 'value="Carol"', '<option value="admin" selected>'])
    expect(page).toContain(text);

  const make = (more = {}) => at.browser.post(`/admin/people/${bob.id}`, { do: "admin", ...more });
  const response = await make();
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining(ASKED)]);
  expect((await make({ password_again: "guess" })).status).toBe(422);
  expect(accountById(at.platen, bob.id)?.isAdmin).toBe(false);
  expect((await make({ password_again: PASSWORD })).status).toBe(303);
  expect(accountById(at.platen, bob.id)?.isAdmin).toBe(true);
  expect((await invite()).status).toBe(200);
});

test("a sign-in in another tab counts; with a passkey the form offers it", async () => {
  const { browser, pass, account, platen } = await startOwned();
  platen.db.$client
    .query(
      "INSERT INTO passkeys (account_id, credential_id, public_key, counter, transports, name, created_at) VALUES (?, 'x', 'x', 0, '[]', 'Key', 0)",
    )
    .run(account.id);
  pass(11 * MINUTE);
  const page = await (await browser.get("/admin/keys")).text();
  const [, path = ""] = /href="(\/auth\/sign-in\?again[^"]*)"/.exec(page) ?? [];
  expect((await browser.get(path.replaceAll("&amp;", "&"))).status).toBe(200);
  await browser.post("/auth/sign-in", { email: account.email, password: PASSWORD });
  expect((await browser.post("/admin/keys", KEY)).status).toBe(201);
});

test("the password cannot be guessed in this form", async () => {
  const { browser, pass } = await startOwned();
  pass(11 * MINUTE);
  const guess = async () => (await browser.post("/admin/keys", { ...KEY, password_again: "guess" })).status;
  for (let count = 0; count < 10; count++) expect(await guess()).toBe(422);
  expect(await guess()).toBe(429);
});

test("a new password revokes API keys and apps if their boxes are ticked", async () => {
  const at = await startOwned();
  const app = { name: "App", clientId: "https://app.example/", scopes: ["read"], blogIds: null };
  const { accessToken } = makeAppKey(at.platen, at.account, app);
  const statusOf = async (key: string) =>
    (await at.api("GET", "/info", undefined, { authorization: `Bearer ${key}` })).status;
  const change = (current: string, password: string, more = {}) =>
    at.browser.post("/admin/account", { do: "password", current, password, ...more });
  expect(await (await at.browser.get("/admin/account")).text()).toContain("Also revoke all API keys");
  await change(PASSWORD, "another long one");
  expect([await statusOf(at.key), await statusOf(accessToken)]).toEqual([200, 200]);
  await change("another long one", PASSWORD, { keys: "end" });
  expect([await statusOf(at.key), await statusOf(accessToken)]).toEqual([401, 200]);
});
