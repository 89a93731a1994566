import { describe, expect, test } from "bun:test";
import { listKeys, makeKey, saveKeyUses } from "../../src/accounts/api-keys";
import { DAY, MINUTE } from "../support/platen";
import { type Owned, startOwned } from "./owner";

const KEYS = "/admin/keys";
const APPS = "/admin/apps";
const CLIENT = "https://app.example/";

const read = async (owned: Owned, path = KEYS) => (await owned.browser.get(path)).text();
const send = (owned: Owned, fields: Record<string, string | string[]>, path = KEYS) =>
  owned.browser.post(path, fields);
const createKey = async (owned: Owned, fields: Record<string, string | string[]>) => {
  const answer = await send(owned, { do: "create", name: "Phone", ...fields });
  const key = /<textarea id="key"[^>]*>(platen_[\w-]+)<\/textarea>/.exec(await answer.text())?.[1];
  return { status: answer.status, key: key as string };
};
const headersWithKey = (key: string, headers: Record<string, string> = {}) => ({
  headers: { authorization: `Bearer ${key}`, ...headers },
});
const ask = async ({ fetch }: Owned, key: string, path = "/api/v1/posts") =>
  (await fetch(path, headersWithKey(key))).status;

describe("API keys in the admin", () => {
  test("a key is created with the selected scopes and shown once", async () => {
    const owned = await startOwned();
    owned.newBlog({ title: "Garden", slug: "garden" });
    const { status, key } = await createKey(owned, { scope: ["read"], blog: "2", expires: "30d" });
    expect(status).toBe(201);
    const page = await read(owned);
    expect(page).not.toContain(key);
    expect(page).toContain('<strong class="name">Phone</strong>');
    expect(page).toContain("<span>Garden</span>");
    expect(page).toContain("Can: read your posts and drafts");
    expect(await ask(owned, key)).toBe(200);
    expect(await ask(owned, key, "/api/v1/posts?blog_id=1")).toBe(403);
    const post = { method: "POST", body: "{}", ...headersWithKey(key) };
    expect((await owned.fetch("/api/v1/posts", post)).status).toBe(403);
    owned.pass(31 * DAY);
    expect(await ask(owned, key)).toBe(401);
    await owned.browser.post("/auth/sign-in", { email: owned.account.email, password: "a long enough one" });
    expect(await read(owned)).toContain("Expired");
  });

  test("an error is reported at its field, and other fields keep their values", async () => {
    const owned = await startOwned();
    const before = listKeys(owned.platen).length;
    const answer = await send(owned, { do: "create", name: "<Build>", scope: [], expires: "90d" });
    expect(answer.status).toBe(422);
    const page = await answer.text();
    expect(page).toContain("Select at least one permission.");
    expect(page).toContain('value="&lt;Build&gt;"');
    expect(page).toContain('<option value="90d" selected>');
    expect((await send(owned, { do: "create", scope: "everything" })).status).toBe(422);
    expect((await send(owned, { do: "create", scope: "read", expires: "9999d" })).status).toBe(422);
    expect((await send(owned, { do: "create", scope: "read", blog: "7" })).status).toBe(403);
    expect(listKeys(owned.platen)).toHaveLength(before);
  });

  test("revoking asks for confirmation; the key is rejected at once and listed as revoked", async () => {
    const owned = await startOwned();
    const { key } = await createKey(owned, { scope: "read" });
    const id = String(listKeys(owned.platen).at(-1)?.id);
    expect(await (await send(owned, { do: "revoke", id })).text()).toContain("Revoke <bdi>Phone</bdi>?");
    expect(await ask(owned, key)).toBe(200);
    await send(owned, { do: "revoke", id, sure: "yes" });
    expect(await ask(owned, key)).toBe(401);
    expect(await read(owned)).toContain('<span class="state">Revoked</span>');
  });

  test("the list shows when, from where and with which app a key was last used, also for cached responses", async () => {
    const owned = await startOwned();
    const key = makeKey(owned.platen, owned.account, { name: "Reader" }).text;
    const init = headersWithKey(key, {
      "user-agent": "iA Writer/7.1 (Mac)",
      "x-forwarded-for": "203.0.113.77",
    });
    const lastUse = () => listKeys(owned.platen).find(({ name }) => name === "Reader");
    expect(await read(owned)).toContain("Not used yet");
    await owned.fetch("/api/v1/posts", init);
    saveKeyUses(owned.platen);
    expect(lastUse()).toMatchObject({ lastUsedAt: owned.platen.now(), lastUsedBy: "iA Writer" });
    expect(await read(owned)).toMatch(/Last used <time[^>]*>just now<\/time>[^<]* by iA Writer/);
    owned.pass(5 * MINUTE);
    const first = owned.platen.now();
    await owned.fetch("/api/v1/posts", init);
    owned.pass(MINUTE / 2);
    for (const path of ["/api/v1/posts", "/api/v1/posts?limit=2"]) await owned.fetch(path, init);
    saveKeyUses(owned.platen);
    expect(lastUse()?.lastUsedAt).toEqual(first);
  });

  test("using a key writes nothing to the database during the request", async () => {
    const owned = await startOwned();
    const changes = () =>
      owned.platen.db.$client.query<{ n: number }, []>("SELECT total_changes() AS n").get()?.n;
    const before = changes();
    for (let minute = 0; minute < 3; minute++) {
      await ask(owned, owned.key);
      owned.pass(MINUTE);
    }
    expect(changes()).toBe(before);
  });

  test("the list has pages, with revoked keys last", async () => {
    const owned = await startOwned();
    for (let number = 1; number <= 30; number++)
      makeKey(owned.platen, owned.account, { name: `Key ${number}` });
    await send(owned, { do: "revoke", id: "31", sure: "yes" });
    const names = (page: string) => [...page.matchAll(/class="name">([^<]*)</g)].map(([, name]) => name);
    const all = [...names(await read(owned)), ...names(await read(owned, `${KEYS}?page=2`))];
    expect(all).toHaveLength(31);
    expect(all[0]).toBe("Key 29");
    expect(all.at(-1)).toBe("Key 30");
    expect(names(await read(owned, `${KEYS}?page=999999999999`))[0]).toBe("Key 29");
  });
});

describe("apps in the admin", () => {
  test("an app's key is listed among the apps, and can be revoked there", async () => {
    const owned = await startOwned();
    const app = { name: "Quill", clientId: CLIENT, scopes: ["create", "read", "profile"] };
    const { text } = makeKey(owned.platen, owned.account, app);
    const page = await read(owned, APPS);
    expect(page).toContain(CLIENT);
    expect(page).toContain("Can: publish new posts; read your posts and drafts; know your name");
    expect(await read(owned)).not.toContain("Quill");
    await send(owned, { do: "revoke", id: "2", sure: "yes" }, APPS);
    expect(await ask(owned, text)).toBe(401);
  });
});

test("rejects other accounts' keys, signed-out requests and other sites' forms", async () => {
  const owned = await startOwned();
  const stranger = await owned.browserOf(owned.newAccount("eve@example.com"));
  for (const path of [KEYS, APPS]) {
    const sure = { do: "revoke", id: "1", sure: "yes" };
    expect((await stranger.post(path, sure)).status).toBe(404);
    expect(await (await stranger.get(path)).text()).not.toContain('class="name"');
    expect((await owned.browser.post(path, sure, { "sec-fetch-site": "cross-site" })).status).toBe(403);
    const out = await owned.fetch(path, { method: "POST", body: new URLSearchParams(sure) });
    expect(out.headers.get("location")).toStartWith("/auth/sign-in");
  }
  expect((await stranger.post(KEYS, { do: "create", scope: "read", blog: "1" })).status).toBe(403);
  expect(await ask(owned, owned.key)).toBe(200);
});
