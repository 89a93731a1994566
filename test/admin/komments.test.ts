import { describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { komments } from "../../src/database/schema";
import { page, post, write, writeForLink } from "../komments/forms";
import { type Fields, fieldsIn } from "../support/cookie-browser";
import { type Owned, startOwned } from "./owner";

const LIST = "/admin/blogs/ada/komments";

/** A post with a pending komment, whose id is 1. */
async function startWithKomment(fields: Record<string, string> = {}): Promise<Owned> {
  const owned = await startOwned();
  await post(owned);
  await write(owned, fields);
  return owned;
}

const read = async (owned: Owned, path = LIST) => (await owned.browser.get(path)).text();
const send = (owned: Owned, fields: Record<string, string>, path = LIST) => owned.browser.post(path, fields);
const states = (owned: Owned) =>
  owned.platen.db
    .select()
    .from(komments)
    .all()
    .map(({ status }) => status);

describe("komments in the admin", () => {
  test("the list shows pending komments first, with author, time and post, and the rail counts them", async () => {
    const owned = await startWithKomment({ name: "<Grace>", address: "grace@example.com" });
    const list = await read(owned);
    expect(list).toContain("&lt;Grace&gt;");
    expect(list).toContain("mailto:grace%40example.com");
    expect(list).toContain('href="/admin/blogs/ada/posts/1">Tea');
    expect(await read(owned, "/admin/blogs/ada")).toContain('1<span class="spoken"> waiting</span>');
    expect(await read(owned, "/admin/blogs/ada/posts")).toContain('Komments <span class="waiting">1<');
    expect(list.match(/(Approve|Reply|Reject|Delete)(?=<span class="spoken"> (?:to )?&lt;Grace)/g)).toEqual([
      "Approve",
      "Reject",
      "Reply",
      "Delete",
    ]);
    await send(owned, { one: "show 1" });
    expect(await read(owned)).toContain("All caught up");
    expect(await read(owned, `${LIST}?status=shown`)).toContain("Well said.");
    expect(await read(owned, `${LIST}?status=nonsense&page=x`)).toContain("All caught up");
  });

  test("the list can be filtered by origin once there are komments from elsewhere", async () => {
    const owned = await startWithKomment({ name: "Grace" });
    await write(owned, { name: "Alan" });
    expect(await read(owned)).not.toContain("All origins");
    owned.platen.db.update(komments).set({ origin: "mastodon" }).where(eq(komments.name, "Alan")).run();
    expect(await read(owned)).toContain('href="/admin/blogs/ada/komments?from=copies">Copies');
    const copies = await read(owned, `${LIST}?from=copies`);
    expect([copies.includes("Alan"), copies.includes("Grace")]).toEqual([true, false]);
    const { body } = await owned.api("GET", "/blogs/1/komments?origin=site");
    expect(body.komments.map(({ name }: { name: string }) => name)).toEqual(["Grace"]);
    expect(body.pagination.total).toBe(1);
    expect((await owned.api("GET", "/blogs/1/komments?origin=moon")).status).toBe(400);
  });

  test("an approved komment appears on the page at once, a rejected one disappears", async () => {
    const owned = await startWithKomment();
    await send(owned, { one: "show 1" });
    expect(await page(owned, "/tea")).toContain("Well said.");
    const ways = (await read(owned, `${LIST}?status=shown`)).match(/href="([^"]+)">View on site/g);
    expect(ways).toEqual(['href="http://blog.test/tea?komment=1#komment-1">View on site']);
    await send(owned, { one: "refuse 1" });
    expect(await page(owned, "/tea")).not.toContain("Well said.");
  });

  test("a decision can be undone right after it", async () => {
    const owned = await startWithKomment();
    await write(owned, { text: "Second." });
    await send(owned, { one: "refuse 2" });
    await owned.browser.post(LIST, { do: "show", id: ["1", "2"], next: `${LIST}?status=all` });
    expect(states(owned)).toEqual(["shown", "shown"]);
    const list = await read(owned, `${LIST}?status=all`);
    const form = list.slice(list.lastIndexOf("<form", list.indexOf('class="undo"')));
    await owned.browser.post(LIST, fieldsIn(form));
    expect(states(owned)).toEqual(["waiting", "refused"]);
    expect(await page(owned, "/tea")).not.toContain("Well said.");
    await send(owned, { one: "delete 1", sure: "yes" });
    await owned.browser.post(LIST, { do: "undo", shown: ["1", "2", "x"] });
    expect(states(owned)).toEqual(["shown"]);
  });

  test("selected komments are changed together; deleting asks for confirmation", async () => {
    const owned = await startWithKomment();
    await write(owned, { text: "Second." });
    await write(owned, { text: "Third." });
    const ticked = (verb: string, sure = "") =>
      owned.browser.post(LIST, { do: verb, id: ["1", "3", "99"], sure });
    await ticked("show");
    expect(states(owned)).toEqual(["shown", "waiting", "shown"]);
    expect(await (await ticked("delete")).text()).toContain("Delete 2 komments?");
    expect(states(owned)).toHaveLength(3);
    await ticked("delete", "yes");
    expect(states(owned)).toEqual(["waiting"]);
  });

  test("a reply approves the komment and is shown below it, sanitized; an empty one is deleted", async () => {
    const owned = await startWithKomment();
    await send(owned, { answer: "*Thanks!* <script>alert(1)</script>" }, `${LIST}/1`);
    const shown = await page(owned, "/tea");
    expect(shown).toContain("<em>Thanks!</em>");
    expect(shown).not.toContain("alert(1)");
    expect(await read(owned, `${LIST}/1`)).toContain("*Thanks!* &lt;script&gt;");
    await send(owned, { answer: " " }, `${LIST}/1`);
    expect(await page(owned, "/tea")).not.toContain("Thanks!");
    expect(await page(owned, "/tea")).toContain("Well said.");
    const long = await send(owned, { answer: "x".repeat(5001) }, `${LIST}/1`);
    expect(long.status).toBe(422);
    expect(await long.text()).toContain("must be at most 5000 characters");
  });

  test("a reply that another tab saved is shown before it is replaced", async () => {
    const owned = await startWithKomment();
    const open = async () => fieldsIn(`<form${(await read(owned, `${LIST}/1`)).split('class="stack"')[1]}`);
    const reply = (fields: Fields, answer: string) => owned.browser.post(`${LIST}/1`, { ...fields, answer });
    const [one, other] = [await open(), await open()];
    expect((await reply(one, "First words.")).status).toBe(303);
    const rejected = await reply(other, "Second words.");
    const shown = await rejected.text();
    expect([rejected.status, shown.includes("“First words.”")]).toEqual([422, true]);
    expect(shown).toContain("Second words.</textarea>");
    expect(await page(owned, "/tea")).toContain("First words.");
    expect((await reply(await open(), "Second words.")).status).toBe(303);
    expect(await page(owned, "/tea")).toContain("Second words.");
  });

  test("a komment with a blocked mail address or word is rejected at once", async () => {
    const owned = await startWithKomment({ address: "eve@example.com" });
    await send(owned, { one: "block 1" });
    expect(states(owned)).toEqual(["refused"]);
    expect(await read(owned, `${LIST}/blocked`)).toContain("eve@example.com</textarea>");
    await send(owned, { blocked: "eve@example.com\n  Cheap  watches\n\nass\n$$$" }, `${LIST}/blocked`);
    const spam: Record<string, string>[] = [
      { address: "Eve@Example.com" },
      { text: "Buy cheap\nwatches, now" },
      { name: "An ass" },
      { text: "so much $$$ here" },
      { text: "ｃｈｅａｐ Ｗａｔｃｈｅｓ" },
      { address: "steve@example.com", text: "a class" },
    ];
    for (const fields of spam) await write(owned, fields);
    expect(states(owned)).toEqual([...Array(6).fill("refused"), "waiting"]);
    await send(owned, { blocked: "" }, `${LIST}/blocked`);
    await write(owned, { name: "An ass again" });
    expect(states(owned).at(-1)).toBe("waiting");
  });

  test("a block list that is too long is reported at its field, with the typed text", async () => {
    const owned = await startWithKomment();
    const typed = Array.from({ length: 3000 }, (_, number) => `word${number}`).join("\n");
    const refused = await send(owned, { blocked: typed }, `${LIST}/blocked`);
    expect(refused.status).toBe(422);
    const page = await refused.text();
    expect(page).toContain("must be at most 10000 characters");
    expect(page).toContain(typed);
  });

  test("the author of a blocked komment sees the usual page", async () => {
    const owned = await startWithKomment();
    const { thanks } = await writeForLink(owned);
    await send(owned, { blocked: "watches" }, `${LIST}/blocked`);
    const link = /komments\/mine\/[\w-]+/g;
    const blocked = await writeForLink(owned, { text: "watches" });
    expect(blocked.thanks.replace(link, "")).toBe(thanks.replace(link, ""));
  });

  test("decisions are rejected for other blogs, other accounts, signed-out browsers and other sites", async () => {
    const owned = await startWithKomment();
    owned.newBlog({ title: "Garden", slug: "garden" });
    await send(owned, { one: "show 1" }, "/admin/blogs/garden/komments");
    expect((await owned.browser.get("/admin/blogs/garden/komments/1")).status).toBe(404);
    const stranger = await owned.browserOf(owned.newAccount("eve@example.com"));
    for (const path of [LIST, `${LIST}/1`, `${LIST}/blocked`]) {
      expect((await stranger.get(path)).status).toBe(403);
      expect((await stranger.post(path, { one: "show 1", answer: "x", blocked: "x" })).status).toBe(403);
      const out = await owned.fetch(path, { method: "POST", body: new URLSearchParams({ one: "show 1" }) });
      expect(out.headers.get("location")).toStartWith("/auth/sign-in");
      const foreign = { one: "show 1", answer: "x", blocked: "x", token: "forged" };
      expect((await owned.browser.post(path, foreign, { "sec-fetch-site": "cross-site" })).status).toBe(403);
    }
    expect(states(owned)).toEqual(["waiting"]);
  });
});
