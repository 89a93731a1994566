import { describe, expect, test } from "bun:test";
import { configureBlog } from "../../src/blogs/blog-settings";
import { parseNavigation } from "../../src/posts/reading/navigation-and-home";
import { page, post } from "../site/posting";
import { type Owned, startOwned } from "./owner";

const TOPICS = "/admin/blogs/ada/topics";

const read = async (owned: Owned, path = "") => (await owned.browser.get(TOPICS + path)).text();
const send = (owned: Owned, path: string, fields: Record<string, string>) =>
  owned.browser.post(`${TOPICS}/${path}`, fields);
const redirectOf = async (owned: Owned, path: string) => {
  const { status, headers } = await owned.fetch(path);
  return `${status} ${headers.get("location") ?? ""}`.trim();
};
const names = async (owned: Owned) =>
  (await owned.api("GET", "/categories")).body.categories.map(({ name }: { name: string }) => name);

/** Two posts in Kitchen (1), one in Garden (2); both tagged tea (1), one also cups (2). */
async function startWithTopics(): Promise<Owned> {
  const owned = await startOwned();
  await post(owned, { title: "Tea", category: "Kitchen", tags: ["tea", "cups"] });
  await post(owned, { title: "Pots", category: "Kitchen", tags: ["tea"] });
  await post(owned, { title: "Roses", category: "Garden" });
  return owned;
}

describe("topics in the admin", () => {
  test("categories and tags are listed with their number of posts, without the trash, and can be searched", async () => {
    const owned = await startWithTopics();
    await owned.api("DELETE", "/posts/2");
    const list = await read(owned);
    expect(list).toMatch(/Kitchen<\/bdi>.*?<span>1 post<\/span>/s);
    expect(list).toContain("2 categories");
    expect(await read(owned, "?kind=tag")).toMatch(/tea<\/bdi>.*?<span>1 post<\/span>/s);
    expect(await read(owned, "?search=GARD")).not.toContain("Kitchen");
    expect(await read(owned, "?kind=nonsense&page=x")).toContain("Garden");
  });

  test("a renamed category keeps its posts and feed, and its old URL redirects", async () => {
    const owned = await startWithTopics();
    const before = (await owned.api("GET", "/posts/1")).body.post;
    const renamed = await send(owned, "category/1", { do: "rename", name: "  Küche &\nBad " });
    expect(renamed.headers.get("location")).toBe(TOPICS);
    expect(await names(owned)).toEqual(["Garden", "Küche & Bad"]);
    expect(await page(owned, "/tea")).toContain("Küche &amp; Bad");
    expect(await redirectOf(owned, "/category/kitchen?page=1")).toBe(
      "301 http://blog.test/category/kuche-bad?page=1",
    );
    expect(await redirectOf(owned, "/category/kitchen/feed.xml")).toBe(
      "301 http://blog.test/category/kuche-bad/feed.xml",
    );
    const after = (await owned.api("GET", "/posts/1")).body.post;
    expect(after.updated_at).toBe(before.updated_at);
    await send(owned, "category/1", { do: "rename", name: "Kitchen" });
    expect(await redirectOf(owned, "/category/kuche-bad")).toBe("301 http://blog.test/category/kitchen");
    expect(await redirectOf(owned, "/category/kitchen")).toBe("200");
  });

  test("a used or empty name is rejected; a name may change its capitals", async () => {
    const owned = await startWithTopics();
    const refused = await send(owned, "category/1", { do: "rename", name: "GARDEN" });
    expect(refused.status).toBe(422);
    const page = await refused.text();
    expect(page).toContain("Name is already used by another category; merge the two instead.");
    expect(page).toContain('value="GARDEN"');
    expect((await send(owned, "category/1", { do: "rename", name: " " })).status).toBe(422);
    expect((await send(owned, "tag/1", { do: "rename", name: "x".repeat(101) })).status).toBe(422);
    await send(owned, "category/1", { do: "rename", name: "KITCHEN" });
    expect(await names(owned)).toEqual(["Garden", "KITCHEN"]);
    expect(await redirectOf(owned, "/category/kitchen")).toBe("200");
  });

  test("merging a category moves its posts, updates links and the home-page setting, and redirects all its URLs", async () => {
    const owned = await startWithTopics();
    const { platen, blog } = owned;
    const navigation = parseNavigation(platen, blog, [{ label: "Food", to: "/category/kitchen" }]);
    configureBlog(platen, blog, { navigation, home: { homePostId: null, homeCategoryId: 1 } });
    await send(owned, "category/1", { do: "rename", name: "Food" });
    await send(owned, "category/1", { do: "merge", into: "garden" });
    expect(await names(owned)).toEqual(["Garden"]);
    expect(await page(owned, "/category/garden")).toContain("Pots");
    for (const former of ["kitchen", "food"])
      expect(await redirectOf(owned, `/category/${former}`)).toBe("301 http://blog.test/category/garden");
    const settings = (await owned.api("GET", "/blogs/1")).body.blog;
    expect(settings.home_category_id).toBe(2);
    expect(settings.navigation[0]).toMatchObject({ category_id: 2, label: "Food", shown: true });
    const counts = (await owned.api("GET", "/categories")).body.categories[0].counts;
    expect(counts).toMatchObject({ published: 3, all: 3 });
    for (const into of ["Garden", "Nowhere", ""])
      expect((await send(owned, "category/2", { do: "merge", into })).status).toBe(422);
  });

  test("two merges in opposite directions end, and keep all posts in one topic", async () => {
    const owned = await startWithTopics();
    for (const kind of ["category", "tag"]) {
      const [one, other] = kind === "tag" ? ["tea", "cups"] : ["Kitchen", "Garden"];
      const merges = [
        send(owned, `${kind}/1`, { do: "merge", into: other }),
        send(owned, `${kind}/2`, { do: "merge", into: one }),
      ];
      const statuses = (await Promise.all(merges)).map(({ status }) => status);
      expect(statuses.sort()).toEqual([303, 404]);
    }
    const { posts } = (await owned.api("GET", "/posts")).body;
    const topics = posts.map(({ category, tags }: { category: { id: number }; tags: string[] }) => [
      category.id,
      tags,
    ]);
    expect(topics).toEqual([
      [2, []],
      [2, ["cups"]],
      [2, ["cups"]],
    ]);
  });

  test("a merged tag is not duplicated on posts that have both, and keeps its position", async () => {
    const owned = await startWithTopics();
    await send(owned, "tag/1", { do: "merge", into: "Cups" });
    expect((await owned.api("GET", "/posts/1")).body.post.tags).toEqual(["cups"]);
    expect((await owned.api("GET", "/posts/2")).body.post.tags).toEqual(["cups"]);
    expect(await redirectOf(owned, "/tag/tea")).toBe("301 http://blog.test/tag/cups");
    expect(await read(owned, "?kind=tag")).toMatch(/cups<\/bdi>.*?<span>2 posts<\/span>/s);
  });

  test("posts of a deleted category stay; its URL redirects to the archive, and its feed ends", async () => {
    const owned = await startWithTopics();
    await send(owned, "category/1", { do: "delete" });
    await send(owned, "tag/1", { do: "delete" });
    expect(await names(owned)).toEqual(["Garden"]);
    const tea = (await owned.api("GET", "/posts/1")).body.post;
    expect(tea).toMatchObject({ category: null, tags: ["cups"] });
    expect(await redirectOf(owned, "/category/kitchen")).toBe("301 http://blog.test/archive");
    expect(await redirectOf(owned, "/tag/tea")).toBe("301 http://blog.test/archive");
    expect(await redirectOf(owned, "/category/kitchen/feed.xml")).toBe("404");
    await post(owned, { title: "New", category: "Kitchen" });
    expect(await redirectOf(owned, "/category/kitchen")).toBe("200");
  });

  test("changing a topic sends no webhook", async () => {
    const owned = await startWithTopics();
    const events = () => owned.platen.db.$client.query("SELECT count(*) AS n FROM events").get();
    const before = events();
    await send(owned, "category/1", { do: "rename", name: "Food" });
    await send(owned, "category/1", { do: "merge", into: "Garden" });
    await send(owned, "category/2", { do: "delete" });
    expect(events()).toEqual(before);
  });

  test("no redirect reveals the new slug of a category or tag without public posts", async () => {
    const owned = await startWithTopics();
    for (const id of [1, 2]) await owned.api("PATCH", `/posts/${id}/unpublish`);
    await send(owned, "category/1", { do: "rename", name: "Secret" });
    expect(await redirectOf(owned, "/category/kitchen")).toBe("404");
  });

  test("topics of other blogs are not listed, and those of other accounts cannot be changed", async () => {
    const owned = await startWithTopics();
    const other = owned.newBlog({ slug: "other" }, owned.newAccount("eve@example.com"));
    expect((await owned.browser.get(`/admin/blogs/${other.slug}/topics`)).status).toBe(403);
    owned.newBlog({ slug: "mine" });
    expect((await owned.browser.get("/admin/blogs/mine/topics/category/1")).status).toBe(404);
    expect((await owned.browser.get(`${TOPICS}/category/x`)).status).toBe(404);
    expect((await owned.browser.get(`${TOPICS}/tag/99`)).status).toBe(404);
  });

  test("a topic of a thousand posts changes all of them while other requests are served", async () => {
    const owned = await startWithTopics();
    owned.platen.db.$client.run(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200)
       INSERT INTO posts (blog_id, type, status, title, slug, category_id, published_at, created_at, updated_at)
       SELECT 1, 'post', 'published', 'Post ' || i, 'p' || i, 1, i, 1, 1 FROM n`,
    );
    owned.platen.db.$client.run(
      "INSERT OR IGNORE INTO post_tags SELECT id, 1, 0, status, type, hidden, published_at FROM posts",
    );
    const merged = send(owned, "category/1", { do: "merge", into: "Garden" });
    expect((await owned.fetch("/roses")).status).toBe(200);
    await merged;
    await send(owned, "tag/1", { do: "merge", into: "cups" });
    const { counts } = (await owned.api("GET", "/categories")).body.categories[0];
    expect(counts.all).toBe(1203);
    expect(await read(owned, "?kind=tag")).toContain("1,203 posts");
    await send(owned, "tag/2", { do: "delete" });
    expect(owned.platen.db.$client.query("SELECT * FROM post_tags").all()).toEqual([]);
  });

  test("ten thousand topics are listed fifty per page", async () => {
    const owned = await startOwned();
    owned.platen.db.$client.run(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
       INSERT INTO tags (blog_id, name, name_key, slug) SELECT 1, 't' || i, 't' || i, 't' || i FROM n`,
    );
    const list = await read(owned, "?kind=tag&page=200");
    expect(list.match(/<li><div><a class="name"/g)).toHaveLength(50);
    expect(list).toContain("10,000 tags");
    expect(list).toContain("200 of 200");
    expect((await read(owned, "/tag/1")).match(/<option/g)).toHaveLength(100);
  });
});
