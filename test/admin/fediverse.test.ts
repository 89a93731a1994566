import { expect, test } from "bun:test";
import { blogById } from "../../src/blogs/blogs";
import { remoteActors } from "../../src/database/schema";
import { actorOfBlog } from "../../src/fediverse/blog-actors";
import { listBlockedHosts } from "../../src/komments/blocked-words-and-hosts";
import { addFollower } from "../support/followers";
import { startOwned } from "./owner";

const REACH = "/admin/blogs/ada/reach";
const PAGE = `${REACH}/fediverse`;

test("the fediverse cannot be turned on if other servers cannot reach the blog", async () => {
  const owned = await startOwned();
  const page = await (await owned.browser.get(REACH)).text();
  expect(page).toContain("Other servers need https://");
  expect(page).not.toContain('name="do" value="on"');
  expect((await owned.browser.post(PAGE, { do: "on" })).status).toBe(422);
  expect((await owned.browser.get(PAGE)).status).toBe(404);
});

test("shows the handle, and lists, removes, blocks and deletes followers", async () => {
  const owned = await startOwned({ url: "https://blog.test", privateHosts: ["blog.test"] });
  const { platen, blog, browser } = owned;
  await browser.post(PAGE, { do: "on" });
  expect(await (await browser.get(REACH)).text()).toContain("@ada@blog.test");
  expect(actorOfBlog(platen, blogById(platen, blog.id) as typeof blog)).toBeDefined();
  const [bob, eve] = ["bob", "eve", "kim"].map((name) => addFollower(owned, name));
  const followersOnPage = async () => [
    ...(await (await browser.get(`${PAGE}/followers`)).text()).matchAll(/<bdi>(@[^<]+)<\/bdi>/g),
  ];
  expect((await followersOnPage()).map(([, handle]) => handle)).toEqual([
    "@kim@social.example",
    "@eve@social.example",
    "@bob@social.example",
  ]);
  const csv = await (await browser.get(`${PAGE}/followers.csv`)).text();
  expect(csv).toBe("Account address\nkim@social.example\neve@social.example\nbob@social.example\n");
  await browser.post(`${PAGE}/followers`, { id: String(bob?.id) });
  const forget = `${PAGE}/people/${eve?.person.id}`;
  expect(await (await browser.get(forget)).text()).toContain("can’t be undone");
  await browser.post(forget, {});
  expect((await followersOnPage()).map(([, handle]) => handle)).toEqual(["@kim@social.example"]);
  expect(platen.db.select().from(remoteActors).all()).toHaveLength(2);
  await browser.post(PAGE, { do: "block", host: "https://Social.example/" });
  expect(listBlockedHosts(platen, blog).map(({ host }) => host)).toEqual(["social.example"]);
  expect(await followersOnPage()).toEqual([]);
  expect((await browser.post(PAGE, { do: "block", host: "" })).status).toBe(422);
});

test("a rejected alias stays in its field, with the reason above", async () => {
  const { browser } = await startOwned({ url: "https://blog.test", privateHosts: ["blog.test"] });
  await browser.post(PAGE, { do: "on" });
  const rejected = await browser.post(PAGE, { do: "aliases", also_known_as: "ada" });
  const page = await rejected.text();
  expect(rejected.status).toBe(422);
  expect(page).toContain(
    "An account could not be found: &quot;ada&quot; is neither a handle nor a web address.",
  );
  expect(page).toMatch(/<textarea id="also_known_as"[^>]*>\nada<\/textarea>/);
});
