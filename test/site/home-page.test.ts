import { expect, test } from "bun:test";
import { configureBlog } from "../../src/blogs/blog-settings";
import { blogById } from "../../src/blogs/blogs";
import { parseHome } from "../../src/posts/reading/navigation-and-home";
import { periodicTasks } from "../../src/upkeep/background-tasks";
import { startPlaten, type TestPlaten } from "../support/platen";
import { page, post } from "./posting";

const setHome = (at: TestPlaten, address: string) =>
  configureBlog(at.platen, at.blog, { home: parseHome(at.platen, at.blog, address) });

test("a page can be the home page: its text, its URL there, one heading, and views are counted", async () => {
  const at = startPlaten();
  await post(at, { title: "Tea" });
  const about = await post(at, { title: "Hello", slug: "about", type: "page", content: "<p>I am Ada.</p>" });
  setHome(at, "/about");
  const home = await page(at, "/", { headers: { "user-agent": "Mozilla/5.0" } });
  expect(home).toContain("I am Ada.");
  expect(home).not.toContain("Tea");
  expect(home).toContain("<title>Ada&#x27;s Blog</title>");
  expect(home.match(/<h1/g)).toHaveLength(1);
  const canonical = '<link rel="canonical" href="http://blog.test/">';
  expect(home).toContain(canonical);
  expect(await page(at, "/about")).toContain(canonical);
  expect((await at.fetch("/?page=2")).status).toBe(404);
  await periodicTasks(at.platen).stop();
  const views = at.platen.db.$client.query<{ post_id: number }, []>("SELECT post_id FROM views").all();
  expect(views).toEqual([{ post_id: about.id }]);
});

test("the home page stays after it is renamed; unpublished or deleted, the newest posts return", async () => {
  const at = startPlaten();
  await post(at, { title: "Tea" });
  const { id } = await post(at, { title: "Hello", slug: "about", type: "page" });
  setHome(at, "http://blog.test/about");
  await at.api("PATCH", `/posts/${id}`, { post: { slug: "who" } });
  expect(await page(at, "/")).toContain("Hello");
  await at.api("PATCH", `/posts/${id}/unpublish`);
  expect(await page(at, "/")).toContain("Tea");
  await at.api("PATCH", `/posts/${id}/publish`);
  expect(await page(at, "/")).not.toContain("Tea");
  await at.api("DELETE", `/posts/${id}`);
  expect(await page(at, "/")).toContain("Tea");
});

test("a category can be the home page, and the page size can be set", async () => {
  const at = startPlaten();
  for (const title of ["One", "Two", "Three"])
    await post(at, { title, content: "Cups", category: "Kitchen" });
  await post(at, { title: "Elsewhere" });
  setHome(at, "/category/kitchen");
  configureBlog(at.platen, at.blog, { postsAPage: 2 });
  const home = await page(at, "/");
  expect(home).toContain("Three");
  expect(home).not.toContain("Elsewhere");
  expect(home).toContain('rel="next" href="/?page=2"');
  expect(await page(at, "/?page=2")).toContain("One");
  for (const list of ["/category/kitchen", "/search?q=cups"])
    expect(await page(at, list)).toContain('rel="next"');
});

test("a blog cannot show another blog's page", async () => {
  const at = startPlaten();
  const other = at.newBlog({ slug: "other" });
  const { id } = await post(at, { title: "Hello", slug: "about", type: "page" });
  expect(() => parseHome(at.platen, other, "http://blog.test/about")).toThrow("home must be the address");
  configureBlog(at.platen, other, { home: { homePostId: id, homeCategoryId: null } });
  expect(blogById(at.platen, other.id)?.homePostId).toBe(id);
  expect(await page(at, "/@other/")).not.toContain("Hello");
});
