import { expect, test } from "bun:test";
import { makeKey, revokeKey } from "../../src/accounts/api-keys";
import { type Owned, startOwned } from "./owner";

const PAGE = "/admin/apps/write";
const read = async (owned: Owned) => (await owned.browser.get(PAGE)).text();
/** Message of the last request. */
const lastMessage = async (owned: Owned) =>
  /<p role="status">([\s\S]*?)<\/p>/.exec(await read(owned))?.[1]?.replace(/<[^>]+>/g, "") ?? "";
const micropub = ({ fetch }: Owned, key: string, init: RequestInit = {}) =>
  fetch("/micropub?q=config", {
    ...init,
    headers: { authorization: `Bearer ${key}`, "user-agent": "iA Writer/7" },
  });

test("the page shows the blog's address as text and as a QR code", async () => {
  const owned = await startOwned();
  const page = await read(owned);
  expect(page).toContain(">http://blog.test/</textarea>");
  expect(page).toContain(">http://blog.test/micropub</textarea>");
  expect(page).toMatch(/<svg class="qr-code"[^>]* role="img" aria-label="QR code with the address of /);
  expect(page).not.toContain("style=");
  expect(await lastMessage(owned)).toStartWith("No app has connected");
});

test("the page shows an app's last request and its error", async () => {
  const owned = await startOwned();
  const { text, row } = makeKey(owned.platen, owned.account, { name: "My <phone>", scopes: ["read"] });
  await micropub(owned, text);
  expect(await lastMessage(owned)).toContain(
    "My &lt;phone&gt; wanted to know what it can do here. It worked.",
  );
  await micropub(owned, text, { method: "POST", body: new URLSearchParams({ h: "entry", content: "x" }) });
  expect(await lastMessage(owned)).toContain(
    "wanted to write, change or delete a post. Rejected: This key may not do that: it needs the scope create or draft.",
  );
  revokeKey(owned.platen, row.id);
  await micropub(owned, text);
  expect(await lastMessage(owned)).toContain(
    "My &lt;phone&gt; wanted to know what it can do here. Rejected: This API key is not valid",
  );
  const form = new URLSearchParams({ access_token: text, h: "entry", content: "x" });
  await owned.fetch("/micropub", { method: "POST", body: form });
  expect(await lastMessage(owned)).toContain("My &lt;phone&gt; wanted to write");
  expect(await read(owned)).not.toContain(text);
});

test("requests with unknown keys are shown to admins only, and do not push out others", async () => {
  const owned = await startOwned();
  const eve = owned.newAccount("eve@example.com");
  owned.newBlog({ title: "Eve", slug: "eve" }, eve);
  const browser = await owned.browserOf(eve);
  await micropub(owned, makeKey(owned.platen, eve, { name: "Eve's app" }).text);
  for (let number = 0; number < 30; number++) await micropub(owned, "platen_wrong");
  expect(await lastMessage(owned)).toContain("iA Writer wanted to know what it can do here. Rejected");
  const page = await (await browser.get(PAGE)).text();
  expect(page).toContain("Eve&#x27;s app wanted to know");
  // Keys of known apps are listed anyway.
  expect(page.match(/class="name">iA Writer</g)).toHaveLength(1);
  expect(await read(owned)).not.toContain("Eve&#x27;s app");
});

test("headers that are too long are rejected, and their value is not shown", async () => {
  const owned = await startOwned();
  const long = { authorization: `Bearer ${owned.key}`, "user-agent": "x".repeat(3000) };
  expect((await owned.fetch("/micropub?q=config", { headers: long })).status).toBe(200);
  expect((await owned.fetch("/api/v1/posts", { headers: long })).status).toBe(200);
  const endless = { authorization: `Bearer ${"x".repeat(5000)}` };
  expect((await owned.fetch("/micropub?q=config", { headers: endless })).status).toBe(431);
});

test("the page shows each step of an app's sign-in and its errors", async () => {
  const owned = await startOwned();
  const authorize = (client: string) =>
    `/auth?${new URLSearchParams({ response_type: "code", client_id: client, redirect_uri: `${client}back`, state: "s", code_challenge: "c".repeat(43), code_challenge_method: "S256", scope: "create" })}`;
  await owned.browser.get(`/auth?client_id=${encodeURIComponent("http://127.0.0.1:9/")}`);
  expect(await lastMessage(owned)).toMatch(/127\.0\.0\.1:9 wanted to sign in\. Rejected: /);
  const page = await (await owned.browser.get(authorize("http://127.0.0.1:9/"))).text();
  expect(await lastMessage(owned)).toContain("127.0.0.1:9 wanted to sign in. The consent page was shown.");
  const ticket = /name="ticket" value="([^"]+)"/.exec(page)?.[1] as string;
  await owned.browser.post("/auth/consent", { ticket, answer: "allow", scope: "create" });
  expect(await lastMessage(owned)).toContain("You allowed it. It has not fetched its key yet.");
  const wrong = new URLSearchParams({
    grant_type: "authorization_code",
    code: "nonsense",
    client_id: "http://127.0.0.1:9/",
    redirect_uri: "http://127.0.0.1:9/back",
    code_verifier: "v".repeat(43),
  });
  await owned.fetch("/auth/token", { method: "POST", body: wrong });
  expect(await lastMessage(owned)).toMatch(/127\.0\.0\.1:9 wanted to finish signing in\. Rejected: /);
});
