import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { blogById } from "../../src/blogs/blogs";
import type { Config } from "../../src/config/config";
import { komments, receivers } from "../../src/database/schema";
import { noticesChannel } from "../../src/notices/notices-channel";
import { changeCopySettings, connectBluesky } from "../../src/syndication/copy-accounts";
import { diagnose } from "../../src/upkeep/doctor";
import { pressButton } from "../admin/editor/post-form";
import { signIn } from "../admin/owner";
import { callPlaten } from "../support/command";
import { mailServer } from "../support/mail-server";
import { DAY, HOUR, MINUTE } from "../support/platen";
import { startSending } from "../support/receiver";
import { type Json, startBluesky, startPublishing } from "./services";

async function startCopying(settings: Partial<Config> = {}) {
  const at = startPublishing(settings);
  const bluesky = startBluesky();
  const connect = (password = bluesky.password) =>
    connectBluesky(at.platen, at.blog, { handle: "@Ada.test", server: bluesky.url, password });
  await connect();
  return { ...at, bluesky, connect, records: () => [...bluesky.records.values()] };
}

function linksIn({ text, facets }: Json): [shown: string, uri: string][] {
  const bytes = Buffer.from(text);
  return facets.map(({ index, features }: Json) => [
    bytes.subarray(index.byteStart, index.byteEnd).toString(),
    features[0].uri ?? features[0].tag,
  ]);
}

test("a new post is copied with a link in the text, a preview card and its language", async () => {
  const at = await startCopying();
  const content = await at.upload("loom.jpg", 1200, 800);
  const { id, url } = await at.publish({ title: "On looms 🧵", summary: "How they weave.", content });
  const [record] = at.records();
  expect(record.text).toBe("On looms 🧵\n\nHow they weave.\n\nblog.test/on-looms");
  expect(linksIn(record)).toEqual([["blog.test/on-looms", url]]);
  expect(record).toMatchObject({ langs: ["en"], createdAt: "2026-03-01T12:00:00.000Z" });
  const { external } = record.embed;
  expect(external).toMatchObject({ uri: url, title: "On looms 🧵", description: "How they weave." });
  expect(external.thumb.size).toBeGreaterThan(0);

  const { body } = await at.api("GET", `/posts/${id}`);
  const [copy] = body.post.syndication;
  expect(copy).toMatch(/^https:\/\/bsky\.app\/profile\/did:plc:ada\/post\/[2-7a-z]{13}$/);
  const page = await (await at.fetch("/on-looms")).text();
  expect(page).toContain(`Also on <a class="u-syndication" rel="syndication" href="${copy}">Bluesky</a>`);
});

test("a note is copied with its text, links, hashtags and up to four pictures with alt texts", async () => {
  const at = await startCopying();
  const html: string[] = [];
  for (const name of ["a.jpg", "b.jpg", "c.jpg", "d.jpg", "e.jpg"])
    html.push(await at.upload(name, 640, 480));
  await at.publish({
    content: `<p>Größe: see https://example.org/a. #1 in #Weberei_2</p>${html.join("")}`,
    alt_text: { "a.jpg": "A loom" },
  });
  const [record] = at.records();
  expect(linksIn(record).slice(0, 2)).toEqual([
    ["https://example.org/a", "https://example.org/a"],
    ["#Weberei_2", "Weberei_2"],
  ]);
  expect(record.embed.images).toHaveLength(4);
  expect(record.embed.images[0]).toMatchObject({ alt: "A loom", aspectRatio: { width: 640, height: 480 } });
});

test("a picture that is too large for the service is sent as a smaller rendition", async () => {
  const at = await startCopying();
  const html = await at.uploadNoise("noise.jpg");
  await at.publish({ content: html });
  await at.publish({ title: "Noise", content: html, language: "de" });
  const [note, post] = at.records();
  expect(note.embed.images[0].image).toMatchObject({ mimeType: "image/webp" });
  expect(post.embed.external.thumb.size).toBeLessThan(1_000_000);
  expect([note.langs, post.langs]).toEqual([["en"], ["de"]]);
});

test("of a post with a content warning, only the warning and the link are copied", async () => {
  const at = await startCopying();
  const photo = await at.upload("loom.jpg", 640, 480);
  const properties = { content: [{ html: `<p>The butler.</p>${photo}` }], "content-warning": ["Spoiler"] };
  for (const named of [properties, { ...properties, name: ["Whodunit"] }]) {
    const headers = { authorization: `Bearer ${at.key}`, "content-type": "application/json" };
    const body = JSON.stringify({ type: ["h-entry"], properties: named });
    expect((await at.fetch("/micropub", { method: "POST", headers, body })).status).toBe(201);
    await at.loop.step();
  }
  const [note, article] = at.records();
  expect(note.text).toMatch(/^CW: Spoiler\n\nblog\.test\//);
  expect(article.text).toBe("CW: Spoiler\n\nblog.test/whodunit");
  expect(JSON.stringify(at.records())).not.toMatch(/The butler|images|thumb/);
  expect(article.embed.external.title).toBe("Whodunit");
});

test("long texts are cut between words, counting graphemes", async () => {
  const at = await startCopying();
  await at.publish({ content: `<p>${"👩‍👩‍👧‍👧 familie ".repeat(200)}</p>` });
  const [{ text }] = at.records();
  expect([...new Intl.Segmenter().segment(text)].length).toBeWithin(280, 301);
  expect(text).toMatch(/(?:familie|👧)…\n\nblog\.test\//);
});

test("an edit updates the copy for five minutes, and unpublishing deletes it", async () => {
  const at = await startCopying();
  const { id } = await at.publish({ title: "One", content: "x" });
  await at.send("PATCH", `/posts/${id}`, { title: "Two" });
  expect(at.records().map(({ text }) => text)).toEqual(["Two\n\nblog.test/one"]);
  at.pass(6 * MINUTE);
  await at.send("PATCH", `/posts/${id}`, { title: "Three" });
  expect(at.records().map(({ text }) => text)).toEqual(["Two\n\nblog.test/one"]);
  await at.send("PATCH", `/posts/${id}/unpublish`);
  expect(at.records()).toEqual([]);
  expect(await at.syndication(id)).toEqual([]);
  await at.send("PATCH", `/posts/${id}/publish`);
  expect(at.records()).toHaveLength(1);
  await at.send("DELETE", `/posts/${id}`);
  expect(at.records()).toEqual([]);
});

test("a lost response does not cause a second copy", async () => {
  const at = await startCopying();
  at.bluesky.lost.next = true;
  const { id } = await at.publish({ title: "One", content: "x" });
  expect(await at.syndication(id)).toEqual([]);
  at.pass(HOUR);
  await at.loop.step();
  expect(at.records()).toHaveLength(1);
  expect(await at.syndication(id)).toHaveLength(1);
});

test("an expired session is renewed; a new one is created only if that fails", async () => {
  const at = await startCopying();
  const signIns = () => at.bluesky.received.filter(({ path }) => path.endsWith("createSession")).length;
  await at.publish({ title: "One", content: "x" });
  at.bluesky.state.access = "other";
  await at.publish({ title: "Two", content: "x" });
  expect([at.records().length, signIns()]).toEqual([2, 1]);
  Object.assign(at.bluesky.state, { access: "other", refresh: "other" });
  await at.publish({ title: "Three", content: "x" });
  expect([at.records().length, signIns()]).toEqual([3, 2]);
});

test("a revoked app password pauses the account and mails the owner; a new one sends pending copies", async () => {
  const { relay, received } = await mailServer();
  const at = await startCopying({ relay });
  const notice = async () => {
    noticesChannel.recordDue?.(at.platen);
    await at.loop.step();
  };
  await notice();
  at.pass(MINUTE);
  Object.assign(at.bluesky.state, { access: "other", refresh: "other", password: "wxyz-wxyz-wxyz-wxyz" });
  await at.publish({ title: "One", content: "x" });
  const stopped = at.platen.db.select().from(receivers).where(eq(receivers.channel, "bluesky")).all();
  expect(stopped.map(({ disabledBecause }) => disabledBecause)).toEqual(["Bluesky refused the sign-in."]);
  const { stdout } = await callPlaten([
    "reach",
    "show",
    "--blog",
    "ada",
    "--json",
    "--data",
    at.platen.config.data,
  ]);
  expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ channel: "bluesky", is_on: false }));
  expect(await diagnose(at.platen)).toContainEqual(
    expect.objectContaining({ about: "copies of ada", message: expect.stringContaining("no more copies") }),
  );
  await at.publish({ title: "Two", content: "x" });
  expect(at.records()).toEqual([]);
  at.pass(MINUTE);
  await notice();
  expect(received.map(({ headers }) => /^Subject: (.*)$/m.exec(headers)?.[1]?.trim())).toEqual([
    "Posts are no longer copied",
  ]);
  await at.connect("wxyz-wxyz-wxyz-wxyz");
  await at.loop.step();
  expect(at.records().map(({ text }) => text.split("\n")[0])).toEqual(["Two", "One"]);
});

test("a wrong password, a missing server and another kind of server are reported in plain sentences", async () => {
  const at = startSending();
  const { url, state } = startBluesky();
  const connect = (server: string, password = "a") =>
    connectBluesky(at.platen, at.blog, { handle: "ada.test", server, password });
  expect(connect(url)).rejects.toThrow(
    "bluesky did not accept the handle or app password. Check it and try again.",
  );
  expect(connect("https://bsky.social", "my own password")).rejects.toThrow(
    "needs an app password like abcd-efgh-ijkl-mnop",
  );
  expect(connect("http://127.0.0.1:1", "a")).rejects.toThrow(
    "bluesky cannot be reached: 127.0.0.1:1 refused the connection.",
  );
  expect(connect("http://10.0.0.1", "a")).rejects.toThrow(/private address/);
  state.isDown = true;
  await expect(connect(url)).rejects.toThrow(
    "bluesky cannot be connected. It returned 500: Internal Server Error.",
  );
  expect(blogById(at.platen, at.blog.id)?.reach).toBeNull();
});

test("hidden, old and unticked posts are not copied; a ticked one is", async () => {
  const at = await startCopying();
  await at.publish({ title: "Hidden", content: "x", meta: { hidden: true } });
  await at.publish({ title: "Old", content: "x", published_at: "2026-02-01T00:00:00Z" });
  await at.publish({ title: "Page", content: "x", type: "page" });
  const { id } = await at.publish({ title: "Unticked", content: "x", reach: [] });
  expect(at.records()).toEqual([]);
  await at.send("PATCH", `/posts/${id}`, { reach: ["bluesky"] });
  expect(at.records()).toHaveLength(1);
});

test("the checkbox of an old post is not selected, and selecting it copies the post", async () => {
  const at = await startCopying();
  const { id } = await at.publish({ title: "Old", content: "x", published_at: "2026-02-01T00:00:00Z" });
  const browser = await signIn(at, at.account);
  const path = `/admin/blogs/ada/posts/${id}`;
  const panel = await (await browser.get(path)).text();
  expect(panel).toContain("Not sent by default, because the post is dated more than 7 days ago.");
  expect(panel).not.toMatch(/value="bluesky" checked/);
  await pressButton(browser, path, "save", { override: "bluesky" });
  await at.loop.step();
  expect(at.records()).toHaveLength(1);
});

test("public replies become komments in their thread, once", async () => {
  const at = await startCopying();
  await at.publish({ title: "One", content: "x" });
  const [key] = at.bluesky.records.keys();
  const own = `at://${at.bluesky.did}/app.bsky.feed.post/${key}`;
  const post = (rkey: string, parent: string, text: string, more: object = {}) => ({
    uri: `at://did:plc:bob/app.bsky.feed.post/${rkey}`,
    author: { did: "did:plc:bob", handle: "bob.test", displayName: "Bob", ...more },
    record: { text, reply: { parent: { uri: parent } }, facets: [] },
  });
  const first = post("3k", own, "Nice <b>looms</b>\n\nindeed");
  const second = post("3l", first.uri, "I agree");
  const shy = post("3m", own, "Only for members", { labels: [{ val: "!no-unauthenticated" }] });
  at.bluesky.threads.push({ post: first, replies: [{ post: second }] }, { post: shy }, { blocked: true });
  await at.lookForReplies(10 * MINUTE);
  const found = at.platen.db.select().from(komments).all();
  expect(found.map(({ html, origin, name }) => [html.trim(), origin, name])).toEqual([
    ["<p>Nice &lt;b&gt;looms&lt;/b&gt;</p><p>indeed</p>", "bluesky", "Bob"],
    ["<p>I agree</p>", "bluesky", "Bob"],
  ]);
  expect(found[1]?.parentId).toBe(found[0]?.id as number);
  expect(found[0]).toMatchObject({
    authorHandle: "@bob.test",
    originUrl: "https://bsky.app/profile/did:plc:bob/post/3k",
  });
  for (const delay of [50 * MINUTE, 5 * HOUR, 18 * HOUR, 2 * DAY, 4 * DAY, 10 * DAY])
    await at.lookForReplies(delay);
  expect(at.platen.db.select().from(komments).all()).toHaveLength(2);
  expect(at.bluesky.received.filter(({ path }) => path.includes("getPostThread"))).toHaveLength(6);
});

test("a titled post can also get records of standard.site, which its page confirms", async () => {
  const at = await startCopying();
  const { others } = at.bluesky;
  const wellKnown = "/.well-known/site.standard.publication";
  await at.publish({ title: "Before", content: "x" });
  expect([others.size, (await at.fetch(wellKnown)).status]).toEqual([0, 404]);
  at.pass(MINUTE);
  changeCopySettings(at.platen, at.blog, "bluesky", { isDefault: true, hasRecords: true });
  at.pass(MINUTE);
  await at.publish({ content: "A note" });
  expect(others.size).toBe(0);
  const { id } = await at.publish({ title: "On looms", content: "<p>Threads.</p>", tags: ["cloth"] });
  const [publication = "", document = ""] = [...others.keys()];
  expect(publication).toMatch(/^site\.standard\.publication\/[2-7a-z]{13}$/);
  expect([...others.values()]).toEqual([
    { $type: "site.standard.publication", url: "http://blog.test", name: "Ada's Blog" },
    {
      ...{ $type: "site.standard.document", site: `at://did:plc:ada/${publication}`, path: "/on-looms" },
      ...{ title: "On looms", description: "Threads.", tags: ["cloth"] },
      publishedAt: at.platen.now().toISOString(),
      updatedAt: at.platen.now().toISOString(),
      bskyPostRef: { uri: expect.stringContaining("app.bsky.feed.post"), cid: expect.any(String) },
    },
  ]);
  expect(await (await at.fetch(wellKnown)).text()).toBe(`at://did:plc:ada/${publication}`);
  const page = async (path: string) => await (await at.fetch(path)).text();
  expect(await page("/on-looms")).toContain(
    `<link rel="site.standard.document" href="at://did:plc:ada/${document}">`,
  );
  expect(await page("/before")).not.toContain("site.standard");
  // Also if the owner has turned the records off since.
  changeCopySettings(at.platen, at.blog, "bluesky", { isDefault: true, hasRecords: false });
  await at.send("DELETE", `/posts/${id}`);
  expect([...others.keys()]).toEqual([publication]);
});
