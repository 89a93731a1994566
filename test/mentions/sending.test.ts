import { expect, test } from "bun:test";
import { komments } from "../../src/database/schema";
import {
  answerKomment,
  deleteOwnKomment,
  writeKomment,
} from "../../src/komments/writing-and-importing-komments";
import { changeMentionSettings } from "../../src/mentions/mention-settings";
import { livePost } from "../../src/posts/reading/finding-posts";
import { post, submit, WORDS, writeForLink } from "../komments/forms";
import { MINUTE } from "../support/platen";
import { startSending } from "../support/receiver";
import { startSite } from "./site";

const ENDPOINT = '<link rel="webmention" href="/webmention">';

function startMentioning(settings = { webmention: true }) {
  const at = startSending();
  changeMentionSettings(at.platen, at.blog, settings);
  const send = async (method: string, path: string, post?: Record<string, unknown>) => {
    const { body } = await at.api(method, path, post && { post });
    await at.loop.step();
    return body?.post;
  };
  return { ...at, send };
}

test("a published post sends one webmention to each linked page, also after a redirect", async () => {
  const [at, site] = [startMentioning(), startSite()];
  site.redirect("/old", "/a/page");
  site.serve("/a/page", '<a rel="webmention" href="../webmention?to=a">here</a>');
  site.serve("/other", ENDPOINT);
  site.serve("/none", "<p>No endpoint</p>");
  const links = ["/old", "/other", "/other", "/none"].map((path) => `<a href="${site.url}${path}">x</a>`);
  const content = `<p>${links.join("")}<a href="/about">own page</a></p>`;
  const draft = await at.send("POST", "/posts", { title: "Links", content });
  expect(site.received).toEqual([]);
  const { url } = await at.send("PATCH", `/posts/${draft.id}/publish`);
  expect(site.received).toEqual([
    { source: url, target: `${site.url}/old` },
    { source: url, target: `${site.url}/other` },
  ]);
});

test("links that were removed or unpublished send a webmention too", async () => {
  const [at, site] = [startMentioning(), startSite()];
  site.serve("/one", ENDPOINT);
  site.serve("/two", ENDPOINT);
  const link = (path: string) => `<a href="${site.url}${path}">x</a>`;
  const post = await at.send("POST", "/posts", {
    title: "Links",
    status: "published",
    content: link("/one") + link("/two"),
  });
  const targets = () => site.received.splice(0).map(({ target }) => target?.slice(site.url.length));
  expect(targets()).toEqual(["/one", "/two"]);
  await at.send("PATCH", `/posts/${post.id}`, { content: link("/two") });
  expect(targets().sort()).toEqual(["/one", "/two"]);
  await at.send("PATCH", `/posts/${post.id}/unpublish`);
  expect(targets()).toEqual(["/two"]);
  await at.send("PATCH", `/posts/${post.id}`, { title: "Still a draft" });
  expect(targets()).toEqual([]);
});

test("a deleted post answers 410, by which notified sites know that it is gone; a draft answers 404", async () => {
  const at = startMentioning();
  const status = async () => (await at.fetch("/links")).status;
  const { id } = await at.send("POST", "/posts", { title: "Links", content: "Soon gone." });
  expect(await status()).toBe(404);
  await at.send("DELETE", `/posts/${id}`);
  expect(await status()).toBe(404);
  const post = await at.send("POST", "/posts", {
    title: "Links",
    content: "Soon gone.",
    status: "published",
  });
  expect(await status()).toBe(200);
  await at.send("DELETE", `/posts/${post.id}`);
  expect(await status()).toBe(410);
  changeMentionSettings(at.platen, at.blog, { webmention: false });
  expect(await status()).toBe(404);
});

test("nothing is sent while off, and private addresses are never requested", async () => {
  const site = startSite();
  site.serve("/page", ENDPOINT);
  const post = { title: "Links", status: "published", content: `<a href="${site.url}/page">x</a>` };
  const off = startMentioning({ webmention: false });
  await off.send("POST", "/posts", post);
  const guarded = startMentioning();
  await guarded.send("POST", "/posts", { ...post, content: post.content.replace("127.0.0.1", "127.0.0.2") });
  expect(site.received).toEqual([]);
});

test("a hub gets one ping per feed and change, at most one a minute, and feeds name it", async () => {
  const [at, site] = [startSending(), startSite()];
  changeMentionSettings(at.platen, at.blog, { hub: `${site.url}/hub` });
  const { body } = await at.api("POST", "/posts", {
    post: { title: "One", status: "published", content: "x" },
  });
  await at.loop.step();
  const feeds = ["feed.xml", "feed.atom", "feed.json"].map((name) => `${at.platen.config.url}/${name}`);
  expect(site.received.map((ping) => ping["hub.url"])).toEqual(feeds);
  expect(site.received[0]).toMatchObject({ "hub.mode": "publish" });
  for (const title of ["Two", "Three"]) await at.api("PATCH", `/posts/${body.post.id}`, { post: { title } });
  await at.loop.step();
  expect(site.received).toHaveLength(3);
  at.pass(MINUTE);
  await at.loop.step();
  expect(site.received).toHaveLength(6);

  const feed = await at.fetch("/feed.xml");
  expect(feed.headers.get("link")).toBe(`<${site.url}/hub>; rel="hub", <${feeds[0]}>; rel="self"`);
  expect(await feed.text()).toContain(`<atom:link rel="hub" href="${site.url}/hub"/>`);
  expect((await (await at.fetch("/feed.json")).json()).hubs).toEqual([
    { type: "WebSub", url: `${site.url}/hub` },
  ]);
});

test("the owner's reply to a mention sends a webmention to its page", async () => {
  const [at, site] = [startMentioning(), startSite()];
  const { url } = await at.send("POST", "/posts", { title: "Looms", content: "x", status: "published" });
  site.serve(
    "/reply",
    `${ENDPOINT}<div class="h-entry"><a class="u-in-reply-to" href="${url}">x</a> Hello</div>`,
  );
  const form = new URLSearchParams({ source: `${site.url}/reply`, target: url });
  await at.fetch("/webmention", { method: "POST", body: form });
  await at.loop.step();
  const [komment] = at.platen.db.select().from(komments).all();
  await answerKomment(at.platen, komment as NonNullable<typeof komment>, "Thank you");
  await at.loop.step();
  expect(site.received).toEqual([{ source: url, target: `${site.url}/reply` }]);
});

test("a page that only the owner's reply links to gets a webmention when the writer deletes the komment", async () => {
  const [at, site] = [startMentioning(), startSite()];
  site.serve("/page", ENDPOINT);
  const { id } = await at.send("POST", "/posts", { title: "Looms", content: "x", status: "published" });
  const post = livePost(at.platen, id) as NonNullable<ReturnType<typeof livePost>>;
  await writeKomment(at.platen, post, { name: "Ada", address: "", text: "Which loom?" }, "secret");
  const [komment] = at.platen.db.select().from(komments).all();
  await answerKomment(at.platen, komment as NonNullable<typeof komment>, `[This](${site.url}/page)`);
  await at.loop.step();
  expect(site.received).toHaveLength(1);
  deleteOwnKomment(at.platen, "secret");
  await at.loop.step();
  expect(site.received).toHaveLength(2);
});

test("a page that only the owner's reply links to gets a webmention when an edit hides the komment", async () => {
  const [at, site] = [startMentioning(), startSite()];
  site.serve("/page", ENDPOINT);
  await post(at);
  await at.loop.step();
  const { link } = await writeForLink(at);
  await answerKomment(at.platen, { id: 1 }, `[This](${site.url}/page)`);
  await at.loop.step();
  const change = async (text: string) => {
    await submit(at, link, { ...WORDS, text, do: "change" });
    await at.loop.step();
  };
  expect(site.received).toHaveLength(1);
  await change("Buy watches.");
  expect(site.received).toHaveLength(2);
  await change("Buy two watches.");
  expect(site.received).toHaveLength(2);
});
