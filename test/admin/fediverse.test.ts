import { expect, test } from "bun:test";
import { blogById } from "../../src/blogs/blogs";
import { followers, remoteActors } from "../../src/database/schema";
import { listBlockedHosts } from "../../src/fediverse/blocked-hosts";
import { actorOfBlog } from "../../src/fediverse/blog-actors";
import { startOwned } from "./owner";

const REACH = "/admin/blogs/ada/reach";
const PAGE = `${REACH}/fediverse`;

test("the fediverse cannot be turned on where other servers cannot reach the blog", async () => {
  const owned = await startOwned();
  const page = await (await owned.browser.get(REACH)).text();
  expect(page).toContain("Other servers need https://");
  expect(page).not.toContain('name="do" value="on"');
  expect((await owned.browser.post(PAGE, { do: "on" })).status).toBe(422);
  expect((await owned.browser.get(PAGE)).status).toBe(404);
});

test("shows the handle, and lists, removes, blocks and forgets followers", async () => {
  const owned = await startOwned({ url: "https://blog.test", privateHosts: ["blog.test"] });
  const { platen, blog, browser } = owned;
  await browser.post(PAGE, { do: "on" });
  expect(await (await browser.get(REACH)).text()).toContain("@ada@blog.test");
  expect(actorOfBlog(platen, blogById(platen, blog.id) as typeof blog)).toBeDefined();
  for (const name of ["bob", "eve", "kim"]) {
    const url = `https://social.example/users/${name}`;
    const inbox = "https://social.example/inbox";
    const values = {
      keyId: `${url}#key`,
      publicPem: "",
      handle: `@${name}@social.example`,
      name,
      profileUrl: url,
    };
    const at = platen.now();
    const { id } = platen.db
      .insert(remoteActors)
      .values({ ...values, url, inbox, fetchedAt: at })
      .returning()
      .get();
    platen.db
      .insert(followers)
      .values({ blogId: blog.id, remoteActorId: id, followId: `${url}#1`, inbox, createdAt: at })
      .run();
  }
  const shown = async () => [
    ...(await (await browser.get(`${PAGE}/followers`)).text()).matchAll(/<bdi>(@[^<]+)<\/bdi>/g),
  ];
  expect((await shown()).map(([, handle]) => handle)).toEqual([
    "@kim@social.example",
    "@eve@social.example",
    "@bob@social.example",
  ]);
  const csv = await (await browser.get(`${PAGE}/followers.csv`)).text();
  expect(csv).toBe("Account address\nkim@social.example\neve@social.example\nbob@social.example\n");
  await browser.post(`${PAGE}/followers`, { do: "remove", id: "1" });
  await browser.post(`${PAGE}/followers`, { do: "forget", id: "2" });
  expect((await shown()).map(([, handle]) => handle)).toEqual(["@kim@social.example"]);
  expect(platen.db.select().from(remoteActors).all()).toHaveLength(2);
  await browser.post(PAGE, { do: "block", host: "https://Social.example/" });
  expect(listBlockedHosts(platen, blog).map(({ host }) => host)).toEqual(["social.example"]);
  expect(await shown()).toEqual([]);
  expect((await browser.post(PAGE, { do: "block", host: "" })).status).toBe(422);
});
