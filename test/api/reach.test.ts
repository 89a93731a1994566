import { expect, test } from "bun:test";
import { remoteActors } from "../../src/database/schema";
import { storeReaction } from "../../src/komments/reactions";
import { renderRemoteHtml, storeRemoteKomment } from "../../src/komments/remote-komments";
import { livePost } from "../../src/posts/reading/finding-posts";
import { addFollower } from "../support/followers";
import { startPlaten } from "../support/platen";

const PUBLIC = { url: "https://blog.test", privateHosts: ["blog.test"] };

test("PATCH /reach turns channels on and off together, with the same errors as the admin", async () => {
  const at = startPlaten(PUBLIC);
  const patch = (reach: object) => at.api("PATCH", "/blogs/1/reach", { reach });
  const off = {
    fediverse: false,
    fediverse_handle: null,
    fediverse_followers: 0,
    webmention: false,
    hub: null,
  };
  expect((await at.api("GET", "/blogs/1/reach")).body.reach).toMatchObject(off);

  const refused = await patch({ fediverse: true, webmention: true, hub: "ftp://hub.example" });
  expect([refused.status, Object.keys(refused.body.errors)]).toEqual([422, ["hub"]]);
  expect((await at.api("GET", "/blogs/1/reach")).body.reach).toMatchObject(off);
  expect((await patch({ fediverse_whole_notes: true })).status).toBe(409);

  const hub = "https://hub.example/";
  const on = await patch({ fediverse: true, fediverse_whole_notes: true, webmention: true, hub });
  expect(on.body.reach).toMatchObject({
    ...{ fediverse: true, fediverse_handle: "@ada@blog.test", fediverse_whole_notes: true },
    ...{ webmention: true, hub, newsletter: false },
  });
  expect((await patch({ fediverse: false, webmention: false, hub: null })).body.reach).toMatchObject(off);

  const hidden = startPlaten();
  const unreachable = await hidden.api("PATCH", "/blogs/1/reach", { reach: { fediverse: true } });
  expect([unreachable.status, Object.keys(unreachable.body.errors)]).toEqual([422, ["fediverse"]]);
});

test("GET /followers pages through followers, and DELETE removes one", async () => {
  const at = startPlaten();
  for (let number = 0; number < 25; number++) addFollower(at, `reader${number}`);
  const list = async (query: string) => (await at.api("GET", `/blogs/1/followers${query}`)).body;
  const first = await list("");
  expect(first.pagination).toEqual({ page: 1, limit: 20, total: 25, pages: 2, next: null });
  expect(first.followers[0]).toMatchObject({
    actor: "https://social.example/users/reader24",
    handle: "@reader24@social.example",
  });
  expect((await list("?page=2")).followers.map(({ name }: { name: string }) => name)).toEqual([
    ...["reader4", "reader3", "reader2", "reader1", "reader0"],
  ]);
  expect((await list("?search=READER2&limit=3")).pagination.total).toBe(6);
  const { id } = first.followers[0];
  expect((await at.api("DELETE", `/blogs/1/followers/${id}`)).status).toBe(204);
  expect((await at.api("DELETE", `/blogs/1/followers/${id}`)).status).toBe(404);
  expect((await list("")).pagination.total).toBe(24);
});

test("a komment has its origin; forgetting its author deletes komments and likes on all blogs that the key can access", async () => {
  const at = startPlaten();
  const { person } = addFollower(at, "bob");
  at.platen.db.$client.run("DELETE FROM followers");
  const write = async (blogId: number) => {
    const { body } = await at.api("POST", "/posts", {
      blog_id: blogId,
      post: { title: "Tea", content: "Tea.", status: "published" },
    });
    const post = livePost(at.platen, body.post.id);
    const rendered = await renderRemoteHtml("<p>Which tea?</p>", "social.example");
    if (!post || !rendered) throw new Error("no post");
    const about = { name: "Bob", handle: person.handle, url: person.url, remoteActorId: person.id };
    const uri = `${person.url}/notes/${blogId}`;
    const origin = { origin: "fediverse" as const, originUri: uri, originUrl: uri, html: "" };
    storeRemoteKomment(at.platen, post, { ...origin, ...about }, rendered);
    storeReaction(at.platen, post, { ...about, kind: "like", uri: `${uri}#like` });
  };
  const second = at.newBlog({ title: "Second", slug: "second" });
  await write(1);
  await write(second.id);
  const komments = async (id: number) => (await at.api("GET", `/blogs/${id}/komments`)).body.komments;
  expect(await komments(1)).toMatchObject([
    {
      ...{ name: "Bob", html: "<p>Which tea?</p>", origin: "fediverse", parent_id: null },
      ...{ origin_url: `${person.url}/notes/1`, author_handle: "@bob@social.example" },
    },
  ]);
  expect((await at.api("GET", "/blogs/1/komments?status=refused")).body.pagination.total).toBe(0);
  const forget = (key = at.key) =>
    at.api("DELETE", "/blogs/1/people?person=bob@social.example", undefined, {
      authorization: `Bearer ${key}`,
    });
  expect((await forget(at.newKey({ blogIds: [1] }))).status).toBe(204);
  expect([await komments(1), (await komments(second.id)).length]).toEqual([[], 1]);
  await write(1);
  expect((await forget()).status).toBe(204);
  expect((await forget()).status).toBe(404);
  expect([await komments(1), await komments(second.id)]).toEqual([[], []]);
  expect(at.platen.db.select().from(remoteActors).all()).toEqual([]);
});
