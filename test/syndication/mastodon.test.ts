import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { blogs, copies, deliveries, komments } from "../../src/database/schema";
import { refreshNextDue } from "../../src/deliveries/receivers";
import { connectMastodon } from "../../src/syndication/copy-accounts";
import { HOUR, MINUTE } from "../support/platen";
import { startMastodon, startPublishing } from "./services";

async function startCopying({ maxCharacters = 500 } = {}) {
  const at = startPublishing();
  const mastodon = startMastodon({ now: at.platen.now, maxCharacters });
  const connect = () => connectMastodon(at.platen, at.blog, { server: mastodon.url, token: mastodon.token });
  await connect();
  return { ...at, mastodon, connect, statuses: () => [...mastodon.statuses.values()] };
}

test("a note is copied with pictures and alt texts, edited and deleted", async () => {
  const at = await startCopying();
  const content = `<p>Weaving.</p>${await at.upload("loom.jpg", 640, 480)}`;
  const { id } = await at.publish({ content, alt_text: { "loom.jpg": "A loom" } });
  const [status] = at.statuses();
  expect(status).toMatchObject({ text: "Weaving.\n\nhttp://blog.test/weaving", language: "en" });
  expect(status.media).toEqual([{ description: "A loom", size: expect.any(Number) }]);
  expect(await at.syndication(id)).toEqual([status.url]);
  at.pass(24 * HOUR);
  await at.send("PATCH", `/posts/${id}`, { content: content.replace("Weaving", "Knitting") });
  expect(at.statuses()).toMatchObject([
    { id: status.id, text: "Knitting.\n\nhttp://blog.test/weaving", edited: true, media: status.media },
  ]);
  const uploads = at.mastodon.received.filter(({ path }) => path === "/api/v2/media");
  expect(uploads).toHaveLength(1);
  await at.send("DELETE", `/posts/${id}`);
  expect(at.statuses()).toEqual([]);
});

test("any URL counts as 23 characters of the server's limit", async () => {
  const at = await startCopying({ maxCharacters: 100 });
  at.mastodon.state.hasV2 = false;
  await at.connect();
  await at.publish({ title: "loom ".repeat(30).trim(), content: "x", slug: `l${"o".repeat(80)}m` });
  await at.publish({ content: `<p>${"http://a.example/b ".repeat(8)}</p>` });
  const [title, note] = at.statuses();
  expect(title.text).toMatch(/^(?:loom ){14}loom…\n\nhttp:\/\/blog\.test\/lo{80}m$/);
  expect(note.text).toStartWith("http://a.example/b http://a.example/b http://a.example/b…\n\n");
});

test("an edit of content that the copy does not contain sends nothing", async () => {
  const at = await startCopying();
  const { id } = await at.publish({ title: "One", summary: "Short.", content: "x" });
  await at.send("PATCH", `/posts/${id}`, { content: "y" });
  expect(at.mastodon.received.filter(({ method }) => method === "PUT")).toEqual([]);
});

test("a crash after the status was sent does not cause a second one, even after the key expired", async () => {
  for (const wait of [MINUTE, 2 * HOUR]) {
    const at = await startCopying();
    const { id } = await at.publish({ title: "One", content: "x" });
    // As after a crash: the server has the status, but its response was not recorded.
    at.platen.db.update(copies).set({ remoteId: "", url: "", digest: "", sentAt: null }).run();
    at.platen.db.update(deliveries).set({ state: "pending", attempts: 0, dueAt: at.platen.now() }).run();
    at.pass(wait);
    refreshNextDue(at.platen);
    await at.loop.step();
    const [status] = at.statuses();
    expect(at.statuses()).toHaveLength(1);
    expect(await at.syndication(id)).toEqual([status.url]);
  }
});

test("public replies become komments, unless the blog's fediverse account receives them", async () => {
  const at = await startCopying();
  await at.publish({ title: "One", content: "x" });
  const account = {
    acct: "bob@other.example",
    username: "bob",
    display_name: "Bob",
    url: "https://other.example/@bob",
  };
  const reply = (id: string, more: object) => ({
    ...{ id, uri: `https://other.example/${id}`, url: `https://other.example/@bob/${id}`, account },
    ...{ visibility: "public", content: "<p>Nice <script>x</script></p>", in_reply_to_id: "1", ...more },
  });
  at.mastodon.replies.push(
    reply("8", {}),
    reply("9", { visibility: "private" }),
    reply("10", { in_reply_to_id: "8" }),
  );
  at.platen.db
    .update(blogs)
    .set({ reach: { mastodon: { isDefault: true }, fediverse: {} } })
    .where(eq(blogs.id, 1))
    .run();
  await at.lookForReplies(10 * MINUTE);
  expect(at.platen.db.select().from(komments).all()).toEqual([]);
  at.platen.db
    .update(blogs)
    .set({ reach: { mastodon: { isDefault: true } } })
    .run();
  await at.lookForReplies(HOUR);
  const [first, second, ...more] = at.platen.db.select().from(komments).all();
  expect(first).toMatchObject({
    origin: "mastodon",
    status: "waiting",
    authorHandle: "@bob@other.example",
    name: "Bob",
  });
  expect(first?.html).not.toContain("script");
  expect([second?.parentId, more]).toEqual([first?.id, []]);
});

test("a wrong token is reported in a plain sentence, and a revoked one pauses the account", async () => {
  const at = await startCopying();
  const wrong = connectMastodon(at.platen, at.blog, { server: at.mastodon.url, token: "wrong" });
  await expect(wrong).rejects.toThrow("mastodon did not accept the token. Check it and try again.");
  at.mastodon.state.token = "other";
  await at.publish({ title: "One", content: "x" });
  const { body } = await at.api("GET", "/posts");
  expect(JSON.stringify(body)).not.toContain(at.mastodon.token);
  expect(at.log.join()).not.toContain(at.mastodon.token);
  expect(at.statuses()).toEqual([]);
});

test("after a 429 the account waits for five minutes", async () => {
  const at = await startCopying();
  at.mastodon.state.isLimited = true;
  await at.publish({ title: "One", content: "x" });
  at.mastodon.state.isLimited = false;
  at.pass(4 * MINUTE);
  await at.loop.step();
  expect(at.statuses()).toEqual([]);
  at.pass(MINUTE);
  await at.loop.step();
  expect(at.statuses()).toHaveLength(1);
});
