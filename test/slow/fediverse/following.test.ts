import { expect, test } from "bun:test";
import { Article, isActor, type Note as NoteObject } from "@fedify/fedify/vocab";
import { moveBlog } from "../../../src/blogs/blog-addresses";
import { configureBlog } from "../../../src/blogs/blog-settings";
import { turnFediverseOff, turnFediverseOn } from "../../../src/fediverse/fediverse-account";
import { listFollowers } from "../../../src/fediverse/followers-and-dead-inboxes";
import { type Federating, startFederating } from "../../support/federating";
import {
  type Create,
  type Delete,
  type FedifyServer,
  Follow,
  fedifyServer,
  Tombstone,
  Undo,
  type Update,
} from "../../support/fedify-server";
import { MINUTE } from "../../support/platen";

const STYLES = ["draft-cavage-http-signatures-12", "rfc9421"] as const;

async function follow(bob: FedifyServer, at: Federating): Promise<void> {
  const activity = new Follow({ id: bob.id("follows/1"), actor: bob.actor, object: at.actor.id });
  await bob.send(at.actor, activity);
  await at.deliver();
}

async function publish(at: Federating, post: Record<string, unknown>) {
  const { body } = await at.api("POST", "/posts", { post: { status: "published", ...post } });
  await at.deliver();
  return body.post as { id: number; url: string };
}

test("a blog is found by its handle, and its actor describes it", async () => {
  const at = await startFederating();
  const bob = await fedifyServer();
  const resource = `acct:${at.handle.slice(1)}`;
  const webfinger = await at.getJson(`/.well-known/webfinger?resource=${encodeURIComponent(resource)}`);
  expect(webfinger.body.subject).toBe(resource);
  const self = webfinger.body.links.find(({ rel }: { rel: string }) => rel === "self").href;
  expect(self).toBe(at.actor.id.href);
  const found = await bob.lookUp(self);
  if (!isActor(found as never)) throw new Error("no actor");
  expect(String(found?.name)).toBe("Ada's Blog");
  const byBlog = await bob.lookUp(`${at.url}/`);
  expect(byBlog?.id?.href).toBe(at.actor.id.href);
});

test("a blog whose domain changed keeps its id and handle, and is found by its new host too", async () => {
  const at = await startFederating({ privateHosts: ["127.0.0.1", "old.test"] });
  const blog = at.newBlog({ title: "Wool", slug: "wool", domain: "old.test" });
  await turnFediverseOn(at.platen, blog);
  const { port } = new URL(at.url);
  const self = `http://old.test:${port}/.well-known/reach/actor/${blog.id}`;
  moveBlog(at.platen, blog, { domain: "new.test" });
  expect((await at.getJson(self)).body).toMatchObject({ id: self, url: `http://new.test:${port}/` });
  for (const host of ["old.test", "new.test"]) {
    const resource = `acct:wool@${host}:${port}`;
    const { body } = await at.getJson(`http://${host}:${port}/.well-known/webfinger?resource=${resource}`);
    expect([body.subject, body.links?.[0].href]).toEqual([`acct:wool@old.test:${port}`, self]);
  }
});

test("followers get a changed title once, a minute after the last change", async () => {
  const at = await startFederating();
  const bob = await fedifyServer();
  await follow(bob, at);
  at.pass(MINUTE);
  configureBlog(at.platen, at.blog, { title: "Ada's Jurnal" });
  await at.passAndDeliver(MINUTE / 2);
  configureBlog(at.platen, at.blog, { title: "Ada's Journal" });
  await at.passAndDeliver(MINUTE / 2);
  expect(bob.types()).toEqual(["Accept"]);
  await at.passAndDeliver(MINUTE);
  await at.passAndDeliver(10 * MINUTE);
  expect(bob.types()).toEqual(["Accept", "Update"]);
  const profile = await (bob.activityAt(1) as Update).getObject();
  expect(String(profile?.name)).toBe("Ada's Journal");
});

for (const style of STYLES)
  test(`a server that signs with ${style} first follows the blog and gets each change of a post once`, async () => {
    const at = await startFederating();
    const bob = await fedifyServer(style);
    await follow(bob, at);
    expect(bob.types()).toEqual(["Accept"]);
    expect(listFollowers(at.platen, at.blog).map(({ actor }) => actor)).toEqual([bob.actor.href]);

    const post = await publish(at, {
      title: "On looms",
      content: "<p>The engine weaves.</p>",
      tags: ["Old looms"],
    });
    expect(bob.types()).toEqual(["Accept", "Create"]);
    const created = bob.activityAt(1) as Create;
    expect(bob.arrived[1]?.recipient).toBeNull();
    const article = (await created.getObject()) as Article;
    expect(article).toBeInstanceOf(Article);
    expect(String(article.name)).toBe("On looms");
    expect(String(article.content)).toContain("The engine weaves.");
    expect(article.url?.toString()).toBe(post.url);
    expect((await bob.lookUp(post.url))?.id?.href).toBe(article.id?.href);

    await at.api("PATCH", `/posts/${post.id}`, { post: { content: "<p>The engine weaves on.</p>" } });
    await at.deliver();
    const updated = (await (bob.activityAt(2) as Update).getObject()) as Article;
    expect(String(updated.content)).toContain("weaves on");
    expect(updated.updated).not.toBeNull();

    await at.api("PATCH", `/posts/${post.id}/unpublish`);
    await at.deliver();
    expect(await (bob.activityAt(3) as Delete).getObject()).toBeInstanceOf(Tombstone);
    expect((await at.getJson(article.id?.href as string)).status).toBe(404);

    await at.api("PATCH", `/posts/${post.id}/publish`);
    await at.deliver();
    const again = (await (bob.activityAt(4) as Create).getObject()) as Article;
    expect(again.id?.href).not.toBe(article.id?.href);
    await at.api("DELETE", `/posts/${post.id}`);
    await at.deliver();
    expect(bob.types()).toEqual(["Accept", "Create", "Update", "Delete", "Create", "Delete"]);
    const gone = await at.getJson(again.id?.href as string);
    expect(gone.status).toBe(410);
    expect(gone.body.type).toBe("Tombstone");

    const unfollow = new Undo({
      id: bob.id("undo/1"),
      actor: bob.actor,
      object: new Follow({ id: bob.id("follows/1"), actor: bob.actor, object: at.actor.id }),
    });
    await bob.send(at.actor, unfollow);
    expect(listFollowers(at.platen, at.blog)).toEqual([]);
    await bob.send(at.actor, new Follow({ id: bob.id("f/2"), actor: bob.actor, object: at.actor.id }));
    const byId = (id: string) =>
      bob.send(at.actor, new Undo({ id: bob.id(`${id}/undo`), actor: bob.actor, object: bob.id(id) }));
    await byId("f/1");
    expect(listFollowers(at.platen, at.blog)).toHaveLength(1);
    await byId("f/2");
    expect(listFollowers(at.platen, at.blog)).toEqual([]);
    await at.deliver();
    expect(bob.types().splice(6)).toEqual(["Accept"]);
    bob.arrived.pop();
    await publish(at, { title: "Unseen", content: "<p>By nobody.</p>" });
    expect(bob.types()).toHaveLength(6);
  });

test("a post without a title is sent as a note with alt texts and hashtags", async () => {
  const at = await startFederating();
  const bob = await fedifyServer();
  await follow(bob, at);
  await publish(at, { content: "<p>Just tea.</p>", tags: ["green tea", "हिन्दी"] });
  const created = bob.activityAt(1) as Create;
  const note = (await created.getObject()) as NoteObject;
  expect(note.constructor.name).toBe("Note");
  const names: string[] = [];
  for await (const tag of note.getTags()) names.push(String(tag.name));
  expect(names).toEqual(["#GreenTea", "#हिन्दी"]);
});

test("a content warning hides an article's text, also in its preview", async () => {
  const at = await startFederating();
  const headers = { authorization: `Bearer ${at.key}`, "content-type": "application/json" };
  const properties = { name: ["Whodunit"], content: ["The butler did it."], "content-warning": ["Spoiler"] };
  const body = JSON.stringify({ type: ["h-entry"], properties });
  await at.fetch("/micropub", { method: "POST", headers, body });
  const [activity] = (await at.getJson(`${at.actor.id.href}/outbox`)).body.orderedItems;
  expect(activity.object).toMatchObject({ type: "Article", summary: "Spoiler", sensitive: true });
  expect(activity.object.preview.content).toStartWith("<p><strong>Whodunit</strong></p><p><a ");
});

test("a save without visible changes, a page and a hidden post send nothing", async () => {
  const at = await startFederating();
  const bob = await fedifyServer();
  await follow(bob, at);
  const { id } = await publish(at, { title: "Tea", content: "<p>Tea.</p>" });
  await at.api("PATCH", `/posts/${id}`, { post: { meta: { pinned: true } } });
  await at.api("PATCH", `/posts/${id}`, { post: { pinned: true } });
  await publish(at, { title: "About", content: "<p>Me.</p>", type: "page" });
  await publish(at, { title: "Hidden", content: "<p>Psst.</p>", meta: { hidden: true } });
  await at.deliver();
  expect(bob.types()).toEqual(["Accept", "Create"]);
});

test("a post excluded later is deleted on followers' servers; included again, it is a new post", async () => {
  const at = await startFederating();
  const bob = await fedifyServer();
  await follow(bob, at);
  await publish(at, { title: "Only here", content: "<p>Tea.</p>", reach: [] });
  const { id } = await publish(at, { title: "Tea", content: "<p>Tea.</p>" });
  const tick = async (reach: string[]) => {
    await at.api("PATCH", `/posts/${id}`, { post: { reach } });
    await at.deliver();
  };
  await tick([]);
  await tick(["fediverse"]);
  expect(bob.types()).toEqual(["Accept", "Create", "Delete", "Create"]);
  const [first, second] = [1, 3].map((place) => (bob.activityAt(place) as Create).objectId?.href);
  expect(second).toBe(`${first}?2`);
  expect((await at.getJson(`${at.actor.id.href}/outbox`)).body.orderedItems).toHaveLength(1);
});

test("edits within a minute are sent as one, with the latest content", async () => {
  const at = await startFederating();
  const bob = await fedifyServer();
  await follow(bob, at);
  const { id } = await publish(at, { title: "Tea", content: "<p>0</p>" });
  for (let edit = 1; edit <= 4; edit++) {
    await at.api("PATCH", `/posts/${id}`, { post: { content: `<p>${edit}</p>` } });
    await at.deliver();
  }
  expect(bob.types()).toEqual(["Accept", "Create", "Update"]);
  await at.passAndDeliver(60_000);
  expect(bob.types()).toEqual(["Accept", "Create", "Update", "Update"]);
  const updated = (await (bob.activityAt(3) as Update).getObject()) as Article;
  expect(String(updated.content)).toBe("<p>4</p>");
  await at.passAndDeliver(60_000);
  expect(bob.types()).toHaveLength(4);
});

test("people mentioned in the text are notified, linked and get later changes; unknown ones stay text", async () => {
  const at = await startFederating();
  const bob = await fedifyServer();
  const handle = `@bob@${new URL(bob.origin).host}`;
  const content = `<p>Thanks ${handle}, and @nobody@${new URL(bob.origin).host}! <code>${handle}</code></p>`;
  const { id } = await publish(at, { title: "Tea", content });
  expect(bob.types()).toEqual(["Create"]);
  const article = (await (bob.activityAt(0) as Create).getObject()) as Article;
  const link = `<a href="${bob.id("@bob").href}" class="u-url mention">${handle}</a>`;
  expect(String(article.content)).toBe(content.replace(handle, link));
  const mentioned: unknown[] = [];
  for await (const tag of article.getTags()) mentioned.push([tag.constructor.name, String(tag.name)]);
  expect(mentioned).toEqual([["Mention", handle]]);
  expect((bob.activityAt(0) as Create).ccIds.map(String)).toContain(bob.actor.href);
  await at.api("DELETE", `/posts/${id}`);
  await at.deliver();
  expect(bob.types()).toEqual(["Create", "Delete"]);
});

test("the blog has no actor while the fediverse is off, and keeps its followers and keys", async () => {
  const at = await startFederating();
  const bob = await fedifyServer();
  await follow(bob, at);
  turnFediverseOff(at.platen, at.blogNow());
  const { port } = new URL(at.url);
  for (const path of [
    at.actor.id.pathname,
    `/.well-known/webfinger?resource=acct:ada@127.0.0.1:${port}`,
    "/.well-known/nodeinfo",
    "/nodeinfo/2.1",
  ])
    expect((await at.fetch(at.url + path)).status).toBe(404);
  expect((await at.fetch(at.actor.inboxId.href, { method: "POST", body: "{}" })).status).toBe(404);
  await publish(at, { title: "Meanwhile", content: "<p>Off.</p>" });
  expect(bob.types()).toEqual(["Accept"]);
});
