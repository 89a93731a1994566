import { expect, test } from "bun:test";
import { configureBlog } from "../../src/blogs/blog-settings";
import { type Blog, blogById } from "../../src/blogs/blogs";
import { parseNavigation, type TypedLink } from "../../src/posts/reading/navigation-and-home";
import { startPlaten, type TestPlaten } from "../support/platen";
import { page, post } from "./posting";

function setLinks(at: TestPlaten, links: [label: string, to: string][], blog: Blog = at.blog): void {
  const typed: TypedLink[] = links.map(([label, to]) => ({ label, to }));
  const present = blogById(at.platen, blog.id) as Blog;
  configureBlog(at.platen, present, { navigation: parseNavigation(at.platen, present, typed) });
}

/** Links in the head of a page: "About → /about", with "*" for the current page. */
async function linksAt(at: TestPlaten, path: string): Promise<string[]> {
  const nav = /<nav class="ways".*?<\/nav>/s.exec(await page(at, path))?.[0] ?? "";
  return [...nav.matchAll(/<a href="([^"]*)"( aria-current="page")?>([^<]*)/g)].map(
    ([, href, here, label]) => `${label} → ${href}${here ? " *" : ""}`,
  );
}

test("links are on every page in order, and the link of the current page is marked", async () => {
  const at = startPlaten();
  await post(at, { title: "About", type: "page" });
  await post(at, { title: "Tea", category: "Kitchen" });
  setLinks(at, [
    ["Home", "/"],
    ["Food", "/category/kitchen"],
    ["Who", "http://blog.test/about"],
    ["<Elsewhere>", "https://social.example/@ada?a=1&b=2"],
  ]);
  const others = ["&lt;Elsewhere&gt; → https://social.example/@ada?a=1&amp;b=2"];
  expect(await linksAt(at, "/tea")).toEqual([
    "Home → /",
    "Food → /category/kitchen",
    "Who → /about",
    ...others,
  ]);
  expect(await linksAt(at, "/about")).toContain("Who → /about *");
  expect(await linksAt(at, "/")).toContain("Home → / *");
  expect(await linksAt(at, "/category/kitchen")).toContain("Food → /category/kitchen *");
  expect(await linksAt(at, "/search")).toHaveLength(4);
  expect(await linksAt(at, "/nowhere")).toHaveLength(4);
});

test("links of a blog below the base URL stay below it, uploads do not", async () => {
  const at = startPlaten();
  const other = at.newBlog({ slug: "other" });
  await post(at, { title: "About", type: "page" }, other.id);
  setLinks(
    at,
    [
      ["Who", "http://blog.test/@other/about"],
      ["Old", "/archive"],
      ["File", "/media/A/b.pdf"],
    ],
    other,
  );
  expect(await linksAt(at, "/@other/about")).toEqual([
    "Who → /@other/about *",
    "Old → /@other/archive",
    "File → /media/A/b.pdf",
  ]);
});

test("a link follows a renamed page, and is hidden while the page is unpublished or in the trash", async () => {
  const at = startPlaten();
  const { id } = await post(at, { title: "About", type: "page" });
  setLinks(at, [["Who", "/about"]]);
  await at.api("PATCH", `/posts/${id}`, { post: { slug: "me" } });
  expect(await linksAt(at, "/")).toEqual(["Who → /me"]);
  await at.api("PATCH", `/posts/${id}/unpublish`);
  expect(await linksAt(at, "/")).toEqual([]);
  await at.api("PATCH", `/posts/${id}/publish`);
  await at.api("DELETE", `/posts/${id}`);
  expect(await linksAt(at, "/")).toEqual([]);
  setLinks(at, [
    ["Me", "/me"],
    ["Old", "/archive"],
  ]);
  const { navigation } = (await at.api("GET", "/blogs/1")).body.blog;
  expect(navigation[0]).toMatchObject({ label: "Me", post_id: id, shown: false });
  expect(await linksAt(at, "/")).toEqual(["Old → /archive"]);
});

test("a category without public posts is not linked, because its name may be secret", async () => {
  const at = startPlaten();
  const { id } = await post(at, { title: "Tea", category: "Kitchen" });
  setLinks(at, [["Food", "/category/kitchen"]]);
  expect(await linksAt(at, "/")).toEqual(["Food → /category/kitchen"]);
  await at.api("PATCH", `/posts/${id}/unpublish`);
  expect(await linksAt(at, "/")).toEqual([]);
});

test("the home page can be linked", async () => {
  const at = startPlaten();
  const { id } = await post(at, { title: "About", type: "page" });
  setLinks(at, [["Who", "/about"]]);
  configureBlog(at.platen, at.blog, { home: { homePostId: id, homeCategoryId: null } });
  expect(await linksAt(at, "/")).toEqual(["Who → / *"]);
});

const FAULTS: [label: string, to: string, fault: string][] = [
  ["x", "javascript:alert(1)", "link 1's address must begin with"],
  ["x", " JavaScript:alert(1)", "link 1's address must begin with"],
  ["x", "\u200Bjavascript:alert(1)", "link 1's address must begin with"],
  ["x", "java\u3000script:alert(1)", "link 1's address must begin with"],
  ["x", "//evil.example", "link 1's address must begin with"],
  ["x", "/\\evil.example", "link 1's address must begin with"],
  ["x", "/\t/evil.example", "link 1's address must begin with"],
  ["x", "data:text/html,x", "link 1's address must begin with"],
  ["x", "about", "link 1's address must begin with"],
  ["x", `/${"x".repeat(2000)}`, "link 1's address must begin with"],
  ["", "/about", "link 1's label must not be empty"],
  ["x".repeat(101), "/about", "link 1's label must be at most 100 characters"],
];

for (const [label, to, fault] of FAULTS)
  test(`a link is rejected: ${label.slice(0, 5)}=${JSON.stringify(to.slice(0, 30))}`, () => {
    const at = startPlaten();
    expect(() => setLinks(at, [[label, to]])).toThrow(fault);
  });

test("a menu has at most fifty links", () => {
  const at = startPlaten();
  const links = (count: number) =>
    Array.from({ length: count }, (_, one): [string, string] => [`${one}`, "/archive"]);
  setLinks(at, links(50));
  expect(() => setLinks(at, links(51))).toThrow("navigation must have at most 50 links");
});
