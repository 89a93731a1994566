import { describe, expect, test } from "bun:test";
import { configureBlog } from "../../src/blogs/blog-settings";
import { startEndpoint } from "../micropub/endpoint";
import { DAY, START, startPlaten } from "../support/platen";
import { page, post } from "./posting";

describe("a post's own summary", () => {
  const summary = `Tea & biscuits ${"for everybody ".repeat(30)}end`;
  const shown = summary.replace("&", "&amp;");

  test("is shown uncut in lists, feeds, descriptions and social tags", async () => {
    const at = startPlaten();
    await post(at, {
      title: "Tea",
      content: "<p>Water first.</p>",
      summary,
      category: "Cups",
      tags: ["hot"],
    });
    for (const list of ["/", "/category/cups", "/tag/hot", "/search?q=water"])
      expect(await page(at, list)).toContain(`<p class="p-summary">${shown}</p>`);
    const own = await page(at, "/tea");
    expect(own).toContain(`<meta name="description" content="${shown}">`);
    expect(own).toContain(`<meta property="og:description" content="${shown}">`);
    expect(own).toContain(`<data class="p-summary" value="${shown}"></data>`);
    expect(own).toContain(JSON.stringify(summary));
    const item = JSON.parse(await page(at, "/feed.json")).items[0];
    expect([item.summary, item.content_html]).toEqual([summary, "<p>Water first.</p>"]);
    expect(await page(at, "/feed.atom")).toContain(`<summary>${shown}</summary>`);
    expect(await page(at, "/feed.xml")).toContain(
      `<description>${shown.replace("&", "&amp;")}</description>`,
    );
  });

  test("is the only content of feeds if the blog chooses so, at once", async () => {
    const at = startPlaten();
    await post(at, { title: "Tea", content: "<p>Water first.</p>", summary: "In short" });
    expect(await page(at, "/feed.xml")).toContain("Water first.");
    configureBlog(at.platen, { id: 1 }, { feedContent: "summary" });
    for (const feed of ["/feed.xml", "/feed.atom", "/feed.json"]) {
      expect(await page(at, feed)).toContain("In short");
      expect(await page(at, feed)).not.toContain("Water first.");
    }
    expect(JSON.parse(await page(at, "/feed.json")).items[0].content_text).toBe("In short");
    expect(() => configureBlog(at.platen, { id: 1 }, { feedContent: "half" })).toThrow();
  });

  test("of the newest post describes a home page and lists if the blog has no description", async () => {
    const at = startPlaten();
    await post(at, { title: "Tea", content: "<p>Water first.</p>", category: "Cups" });
    const descriptionTag = (text: string) => `<meta name="description" content="${text}">`;
    for (const list of ["/", "/category/cups"])
      expect(await page(at, list)).toContain(descriptionTag("Water first."));
    expect(await page(at, "/archive")).toContain(descriptionTag("Archive"));
    configureBlog(at.platen, { id: 1 }, { description: "A blog on tea" });
    for (const list of ["/", "/archive"])
      expect(await page(at, list)).toContain(descriptionTag("A blog on tea"));
  });

  test("is shown for a post without content", async () => {
    const at = startPlaten();
    const { slug } = await post(at, { summary: "Weighed 70 kg" });
    expect(await page(at, `/${slug}`)).toContain('<p class="p-summary">Weighed 70 kg</p>');
    expect(await page(at, "/")).toContain('<p class="p-summary">Weighed 70 kg</p>');
  });

  test("that is changed or removed changes every page at once", async () => {
    const at = startPlaten();
    const { id } = await post(at, { title: "Tea", content: "<p>Water first.</p>", summary: "One" });
    expect(await page(at, "/")).toContain(">One<");
    await at.api("PATCH", `/posts/${id}`, { post: { summary: "Two" } });
    expect(await page(at, "/")).toContain(">Two<");
    await at.api("PATCH", `/posts/${id}`, { post: { summary: null } });
    expect(await page(at, "/")).toContain(">Water first.<");
    expect(await page(at, "/tea")).not.toContain("p-summary");
  });

  test("is the summary of Micropub, which can create, return, replace and delete it", async () => {
    const at = startEndpoint();
    const { location } = await at.create({ name: ["Tea"], content: ["Water"], summary: ["In short"] });
    const summaryOfPost = async () => (await at.api("GET", "/posts")).body.posts[0].summary;
    expect([await summaryOfPost(), (await at.source(location)).summary]).toEqual(["In short", ["In short"]]);
    await at.json({ action: "update", url: location, replace: { summary: ["Shorter"] } });
    expect([await summaryOfPost(), (await at.source(location)).summary]).toEqual(["Shorter", ["Shorter"]]);
    const long = { action: "update", url: location, replace: { summary: ["x".repeat(501)] } };
    const refused = await at.json(long);
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([
      expect.any(Number),
      expect.stringContaining("summary"),
    ]);
    expect(refused.status).toBeGreaterThanOrEqual(400);
    await at.json({ action: "update", url: location, delete: ["summary"] });
    expect([await summaryOfPost(), (await at.source(location)).summary]).toEqual([null, undefined]);
  });
});

test("pages show a content warning, and the text only after a click", async () => {
  const at = startEndpoint();
  const warned = { content: ["The butler did it."], "content-warning": ["Spoiler"] };
  await at.create({ ...warned, name: ["Whodunit"] });
  const { location } = await at.create(warned);
  const home = await page(at, "/");
  expect(home).toContain('<p class="p-summary">Spoiler</p>');
  const isClosed = /<details><summary>Spoiler<\/summary>[\s\S]*butler[\s\S]*<\/details>/;
  expect(home.match(/butler did/g)).toHaveLength(1);
  expect(home).toMatch(isClosed);
  for (const path of ["/whodunit", new URL(location).pathname]) {
    const shown = await page(at, path);
    expect(shown).toMatch(isClosed);
    expect(shown.match(/butler did/g)).toHaveLength(1);
    expect(shown).toContain('<meta name="description" content="Spoiler">');
  }
});

describe("pinned posts", () => {
  const titlesOn = async (at: ReturnType<typeof startPlaten>, path: string) =>
    [...(await page(at, path)).matchAll(/<h2 class="p-name"><a[^>]*>([^<]*)/g)].map(([, title]) => title);

  test("come first on the home page, marked; later pages show them at their usual place", async () => {
    const at = startPlaten();
    configureBlog(at.platen, at.blog, { postsAPage: 2 });
    for (const [day, title] of ["Oldest", "Old", "New", "Newest"].entries())
      await post(at, {
        title,
        published_at: new Date(START.getTime() + (day - 9) * DAY).toISOString(),
        pinned: title.startsWith("O") || title === "Newest",
        tags: ["all"],
      });
    expect(await titlesOn(at, "/")).toEqual(["Newest", "Old", "Oldest", "New"]);
    expect((await page(at, "/")).match(/<span>Pinned<\/span>/g)).toHaveLength(3);
    expect(await titlesOn(at, "/?page=2")).toEqual(["Old", "Oldest"]);
    for (const other of ["/?page=2", "/tag/all", "/archive"])
      expect(await page(at, other)).not.toContain("Pinned");
    expect(await titlesOn(at, "/tag/all")).toEqual(["Newest", "New"]);
  });

  test("are not first if lists do not show them", async () => {
    const at = startPlaten();
    await post(at, { title: "Shown" });
    for (const fields of [
      { status: "draft" },
      { type: "page" },
      { status: "archived" },
      { meta: { hidden: true } },
      { published_at: new Date(START.getTime() + DAY).toISOString() },
    ])
      await post(at, { title: "Unseen", pinned: true, ...fields });
    const gone = await post(at, { title: "Unseen", pinned: true });
    await at.api("DELETE", `/posts/${gone.id}`);
    expect(await titlesOn(at, "/")).toEqual(["Shown"]);
    at.pass(DAY);
    expect(await titlesOn(at, "/")).toEqual(["Unseen", "Shown"]);
  });
});

test("a category or tag of only unlisted posts is shown without a link", async () => {
  const at = startPlaten();
  await post(at, { title: "About", type: "page", tags: ["Me"], content: "<p>Ada</p>" });
  const hidden = { category: "Secret", tags: ["Me"], meta: { hidden: true }, content: "<p>Quiet</p>" };
  await post(at, { title: "Hidden", ...hidden });
  for (const path of ["/about", "/hidden"]) {
    expect(await page(at, path)).toContain('<span class="p-category">Me</span>');
    expect(await page(at, path)).not.toMatch(/href="[^"]*\/?(?:tag|category)\//);
  }
  expect((await at.fetch("/tag/me")).status).toBe(404);
  const { id } = await post(at, { title: "Shown", tags: ["Me"], content: "<p>I</p>" });
  expect(await page(at, "/about")).toContain('<a class="p-category" rel="tag" href="/tag/me">Me</a>');
  await at.api("DELETE", `/posts/${id}`);
  expect(await page(at, "/about")).toContain('<span class="p-category">Me</span>');
});
