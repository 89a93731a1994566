import { expect, test } from "bun:test";
import { configureBlog } from "../../src/blogs/blog-settings";
import { startPlaten } from "../support/platen";
import { page, post } from "./posting";

test("posts of a series link to its public posts in order, but not if there is only one", async () => {
  const at = startPlaten();
  for (const [number, title] of ["Leaves", "Water", "Cups"].entries())
    await post(at, {
      title,
      content: "<p>x</p>",
      series: "Tea",
      published_at: `2020-01-0${number + 1}T00:00:00Z`,
    });
  const { id } = await post(at, { title: "Milk", content: "<p>x</p>", series: "Tea", status: "draft" });
  const water = await page(at, "/water");
  expect(water).toContain("Part 2 of 3 in");
  expect(water).toMatch(/href="\/leaves">Leaves<.*aria-current="page">Water<.*href="\/cups">Cups</s);
  expect(water).not.toContain("Milk");
  await at.api("PATCH", `/posts/${id}`, { post: { status: "published" } });
  expect(await page(at, "/water")).toContain("Part 2 of 4 in");
  const { posts } = (await at.api("GET", "/posts")).body;
  expect(posts.map((one: { series: string | null }) => one.series)).toEqual(["Tea", "Tea", "Tea", "Tea"]);
  for (const one of posts.slice(1)) await at.api("PATCH", `/posts/${one.id}`, { post: { series: null } });
  expect(await page(at, "/milk")).not.toContain('id="series"');
  const long = await at.api("PATCH", `/posts/${id}`, { post: { series: "x".repeat(101) } });
  expect([long.status, Object.keys(long.body.errors)]).toEqual([422, ["series"]]);
});

test("related posts share the most tags, and are shown if the blog chooses so", async () => {
  const at = startPlaten();
  await post(at, { title: "Tea", content: "<p>x</p>", tags: ["hot", "green"] });
  await post(at, { title: "Coffee", content: "<p>x</p>", tags: ["hot"] });
  await post(at, { title: "Matcha", content: "<p>x</p>", tags: ["green", "hot"] });
  await post(at, { title: "Soup", content: "<p>x</p>", tags: ["salty"] });
  await post(at, { title: "Draft", content: "<p>x</p>", tags: ["hot", "green"], status: "draft" });
  expect(await page(at, "/tea")).not.toContain("Related posts");
  configureBlog(at.platen, { id: 1 }, { design: { related: true } });
  const [, related = ""] = (await page(at, "/tea")).split("Related posts");
  const [section = ""] = related.split("</nav>");
  expect(section).toMatch(/Matcha.*Coffee/s);
  expect(section).not.toMatch(/Soup|Draft/);
  expect(await page(at, "/soup")).not.toContain("Related posts");
});

test("the reading time counts words, or characters in languages without spaces", async () => {
  const at = startPlaten();
  configureBlog(at.platen, { id: 1 }, { design: { readingTime: true } });
  await post(at, { title: "Long", content: `<p>${"word ".repeat(690)}</p>` });
  await post(at, { title: "Han", content: `<p>${"愛".repeat(1000)}</p>` });
  expect(await page(at, "/long")).toContain("3 min read");
  expect(await page(at, "/han")).toContain("2 min read");
});
