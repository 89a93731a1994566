import { describe, expect, test } from "bun:test";
import { inTransaction } from "../../src/database/transactions";
import { addTopic } from "../../src/posts/storage/categories-and-tags";
import { fieldsIn } from "../support/cookie-browser";
import { picture, uploadForm } from "../support/pictures";
import { START } from "../support/platen";
import { pressButton } from "./editor/post-form";
import { type Owned, startOwned } from "./owner";

const LIST = "/admin/blogs/ada/posts";
const hoursFromStart = (hours: number) => new Date(START.getTime() + hours * 3_600_000).toISOString();

const write = async (owned: Owned, post: Record<string, unknown>) =>
  (await owned.api("POST", "/posts", { post })).body.post as { id: number; slug: string };

async function read(owned: Owned, path: string): Promise<string> {
  const answer = await owned.browser.get(path);
  expect([path, answer.status]).toEqual([path, 200]);
  return answer.text();
}

/** Titles of the rows, in order. */
const namesOn = (page: string) =>
  [...page.matchAll(/<a class="name"[^>]*>([^<]*)</g)].map(([, name]) => name);
const words = (page: string) => page.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");

let made = 0;
/** Adds more categories than a form has options for. */
function addCategories({ platen, blog }: Owned, count: number): void {
  inTransaction(platen, () => {
    for (let number = 0; number < count; number++)
      addTopic(platen, "category", blog.id, `Shelf ${1_000_000 + made++}`);
  });
}

describe("the list of posts", () => {
  test("contains posts in every state, last changed first; pages have their own list", async () => {
    const owned = await startOwned();
    for (const [title, status] of [
      ["Rain", "published"],
      ["Wind", "draft"],
      ["Snow", "archived"],
    ]) {
      await write(owned, { title, status });
      owned.pass(1000);
    }
    await write(owned, { title: "About", type: "page" });
    expect(namesOn(await read(owned, LIST))).toEqual(["Snow", "Wind", "Rain"]);
    expect(namesOn(await read(owned, "/admin/blogs/ada/pages"))).toEqual(["About"]);
  });

  test("shows each post's publication time, views, pending komments and missing alt texts", async () => {
    const owned = await startOwned();
    const headers = { authorization: `Bearer ${owned.key}` };
    const body = uploadForm(await picture(), "rain.jpg");
    const upload = await owned.fetch("/api/v1/attachments", { method: "POST", headers, body });
    const { attachment } = (await upload.json()) as { attachment: { html: string } };
    const content = attachment.html;
    const { id } = await write(owned, { title: "Rain", status: "published", content });
    await write(owned, { title: "Decorated", content, alt_text: { "rain.jpg": "" } });
    await write(owned, { title: "Soon", status: "published", published_at: hoursFromStart(2.5) });
    const { $client } = owned.platen.db;
    $client.run("INSERT INTO views VALUES (?, '2026-02-27', 900, 1), (?, '2026-02-28', 300, 1)", [id, id]);
    $client.run(
      "INSERT INTO komments (blog_id, post_id, status, name, source, html, created_at, edit_hash) VALUES (1, ?, 'waiting', 'Jun', 'x', 'x', 1, 'x')",
      [id],
    );
    const page = words(await read(owned, LIST));
    for (const text of ["Scheduled · in 3 h", "1,200 views", "1 pending komment"])
      expect(page).toContain(text);
    expect(page.match(/\d pictures? without alt text/g)).toEqual(["1 picture without alt text"]);
  });

  test("filters by status, category, tag, dates and words, like the API", async () => {
    const owned = await startOwned();
    await write(owned, {
      title: "Rain",
      status: "published",
      category: "Weather",
      published_at: "2026-01-10T12:00Z",
    });
    await write(owned, {
      title: "Low tide",
      status: "published",
      category: "Sea",
      published_at: "2026-02-10T12:00Z",
    });
    await write(owned, { title: "Half a thought about rain", tags: ["Wet"] });
    await write(owned, { title: "Later", status: "published", published_at: hoursFromStart(5) });
    const findPosts = async (query: string) => namesOn(await read(owned, `${LIST}?${query}`)).toSorted();
    const { categories } = (await owned.api("GET", "/categories")).body;
    const weather = categories.find(({ name }: { name: string }) => name === "Weather").id;
    expect(await findPosts("status=published")).toEqual(["Low tide", "Rain"]);
    expect(await findPosts("status=scheduled")).toEqual(["Later"]);
    expect(await findPosts("status=draft")).toEqual(["Half a thought about rain"]);
    expect(await findPosts(`category=${weather}`)).toEqual(["Rain"]);
    expect(await findPosts(`category=-${weather}&status=published`)).toEqual(["Low tide"]);
    expect(await findPosts("category=none")).toEqual(["Half a thought about rain", "Later"]);
    expect(await findPosts("tag=wet")).toEqual(["Half a thought about rain"]);
    expect(await findPosts("tag=dry")).toEqual([]);
    expect(await findPosts("search=rain")).toEqual(["Half a thought about rain", "Rain"]);
    expect(await findPosts("from=2026-02-01&to=2026-02-10&status=published")).toEqual(["Low tide"]);
    expect(namesOn(await read(owned, `${LIST}?sort=title`))).toEqual([
      "Half a thought about rain",
      "Later",
      "Low tide",
      "Rain",
    ]);
  });

  test("the sheet after publishing and the row of a live post link to its page on the site", async () => {
    const owned = await startOwned();
    const { id } = await write(owned, { title: "Rain" });
    const link = 'href="http://blog.test/rain"';
    expect(await read(owned, LIST)).not.toContain(link);
    await pressButton(owned.browser, `${LIST}/${id}`, "publish");
    expect(await read(owned, LIST)).toContain(`<a class="button" ${link}>View</a>`);
    expect(await read(owned, LIST)).toContain(`${link}>Published<`);
  });

  test("filters by category, and lists at most a thousand categories", async () => {
    const owned = await startOwned();
    await write(owned, { title: "Low tide", category: "Sea" });
    await write(owned, { title: "Half a thought" });
    const { id } = (await owned.api("GET", "/categories")).body.categories.find(
      ({ name }: { name: string }) => name === "Sea",
    );
    const findPosts = async (query: string) => namesOn(await read(owned, `${LIST}?${query}`));
    expect(await findPosts("category=none")).toEqual(["Half a thought"]);
    expect(await findPosts(`category=${id}`)).toEqual(["Low tide"]);
    expect(await findPosts(`category=-${id}`)).toEqual(["Half a thought"]);
    expect(await read(owned, `${LIST}?category=${id}`)).toContain(
      `<option value="${id}" selected>Sea</option>`,
    );
    addCategories(owned, 1000);
    const [page, newPostPage] = [await read(owned, LIST), await read(owned, `${LIST}/new`)];
    addCategories(owned, 2000);
    expect((await read(owned, LIST)).length).toBe(page.length);
    expect((await read(owned, `${LIST}/new`)).length).toBe(newPostPage.length);
  });

  test("ignores invalid filters, and says if nothing matches", async () => {
    const owned = await startOwned();
    await write(owned, { title: "Rain" });
    for (const query of [
      "status=nope",
      "category=x",
      "from=1.2.2026",
      "sort=colour",
      "page=-1",
      "page=x",
      "search=",
    ])
      expect([query, namesOn(await read(owned, `${LIST}?${query}`))]).toEqual([query, ["Rain"]]);
    expect(words(await read(owned, `${LIST}?search=zeppelin`))).toContain("No matching");
    expect(words(await read(owned, `${LIST}?page=9`))).toContain("No matching");
    expect(words(await read(owned, "/admin/blogs/ada/pages"))).toContain("No pages yet");
  });

  test("has pages without scripts, and keeps its filters", async () => {
    const owned = await startOwned();
    for (let number = 1; number <= 31; number++) {
      await write(owned, { title: `Tide ${number}` });
      owned.pass(1000);
    }
    const first = await read(owned, `${LIST}?status=draft`);
    expect(namesOn(first)).toHaveLength(30);
    const [, next = ""] = /rel="next" href="([^"]+)">Next</.exec(first) ?? [];
    const second = await read(owned, next.replaceAll("&amp;", "&"));
    expect(namesOn(second)).toEqual(["Tide 1"]);
    expect(second).toMatch(/aria-current="page">Drafts/);
  });

  test("shows a post without a title by its first words, and escapes HTML", async () => {
    const owned = await startOwned();
    await write(owned, { content: "<p>The kettle sings a fourth, then thinks better of it.</p>" });
    await write(owned, { title: "<b>Bold</b>" });
    expect(namesOn(await read(owned, LIST)).toSorted()).toEqual([
      "&lt;b&gt;Bold&lt;/b&gt;",
      "The kettle sings a fourth, then thinks better of it.",
    ]);
  });
});

describe("bulk actions", () => {
  const bulk = (verb: string, ids: number[], to = "none") =>
    `${LIST}/bulk?${new URLSearchParams([["do", verb], ["to", to], ...ids.map((id) => ["id", String(id)])])}`;
  const states = async (owned: Owned) =>
    Object.fromEntries(
      (await owned.api("GET", "/posts?status=all&sort=title")).body.posts.map(
        ({ title, status }: { title: string; status: string }) => [title, status],
      ),
    );

  test("a confirmation page says what will happen to each post, and changes nothing", async () => {
    const owned = await startOwned();
    const ids = [
      await write(owned, { title: "Rain" }),
      await write(owned, { title: "Later", published_at: hoursFromStart(5) }),
      await write(owned, { title: "Wind", status: "published" }),
    ].map(({ id }) => id);
    const page = words(await read(owned, bulk("publish", ids)));
    expect(page).toContain("Publish 2 posts?");
    expect(page).toContain("Rain Goes live now");
    expect(page).toContain("Later Goes live on 1 Mar 2026, 17:00");
    expect(page).toMatch(/Unchanged Wind Already published/);
    expect(await states(owned)).toEqual({ Rain: "draft", Later: "draft", Wind: "published" });
  });

  test("selected posts are published, unpublished and moved, and the list reports it", async () => {
    const owned = await startOwned();
    const rain = await write(owned, { title: "Rain" });
    const wind = await write(owned, { title: "Wind", category: "Weather" });
    const fields = { id: [String(rain.id), String(wind.id)], to: "none", next: `${LIST}?status=draft` };
    const send = (verb: string, to = "none") =>
      owned.browser.post(`${LIST}/bulk`, { ...fields, do: verb, to });
    const done = await send("publish");
    expect([done.status, done.headers.get("location")]).toEqual([303, `${LIST}?status=draft`]);
    expect(words(await read(owned, LIST))).toContain("2 posts published.");
    expect(words(await read(owned, LIST))).not.toContain("2 posts published.");
    expect(await states(owned)).toEqual({ Rain: "published", Wind: "published" });
    await send("unpublish");
    expect(await states(owned)).toEqual({ Rain: "draft", Wind: "draft" });
    const { category } = (await owned.api("GET", `/posts/${wind.id}`)).body.post;
    await send("category", String(category.id));
    expect((await owned.api("GET", `/posts/${rain.id}`)).body.post.category.name).toBe("Weather");
    expect(words(await read(owned, LIST))).toContain("1 post moved.");
  });

  test("an action on all matching posts asks again if the list has changed", async () => {
    const owned = await startOwned();
    for (let number = 0; number < 45; number++)
      await write(owned, { title: `Rain ${number}`, status: number < 5 ? "published" : "draft" });
    await write(owned, { title: "Wind" });
    const filtered = `${LIST}?search=rain`;
    const formOn = (page: string) => fieldsIn(page.slice(page.indexOf('<form class="actions"')));
    expect(words(await read(owned, filtered))).toContain("Select all 45 matching posts");
    expect(words(await read(owned, `${LIST}?search=wind`))).not.toMatch(/Select all \d/);
    const fields = { do: "publish", to: "none", all: "yes", next: filtered };
    const page = await read(owned, `${LIST}/bulk?${new URLSearchParams(fields)}`);
    expect(words(page)).toContain("Publish 40 posts?");
    expect(words(page)).not.toContain("Wind");
    await write(owned, { title: "Rain at last" });
    const early = await owned.browser.post(`${LIST}/bulk`, formOn(page));
    const again = await early.text();
    expect([early.status, words(again)]).toEqual([200, expect.stringContaining("Publish 41 posts?")]);
    expect((await owned.api("GET", "/posts?limit=1")).body.pagination.total).toBe(5);
    const done = await owned.browser.post(`${LIST}/bulk`, formOn(again));
    expect([done.status, done.headers.get("location")]).toEqual([303, filtered]);
    expect(words(await read(owned, filtered))).toContain("41 posts published.");
    expect((await owned.api("GET", "/posts?limit=1")).body.pagination.total).toBe(46);
    expect((await owned.api("GET", "/posts?status=draft")).body.posts).toMatchObject([{ title: "Wind" }]);
  });

  test("deleted posts can be restored at once", async () => {
    const owned = await startOwned();
    const { id } = await write(owned, { title: "Rain", status: "published" });
    await owned.browser.post(`${LIST}/bulk`, { do: "delete", id: String(id), next: LIST });
    expect(await states(owned)).toEqual({});
    const page = await read(owned, LIST);
    expect(words(page)).toContain("1 post deleted.");
    const [toast = ""] = /<div class="toast">.*?<\/form>/s.exec(page) ?? [];
    const [, action = ""] = /action="([^"]+)"/.exec(toast) ?? [];
    const fields = [...toast.matchAll(/name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [
      name,
      value,
    ]);
    await owned.browser.post(action, Object.fromEntries(fields));
    expect(await states(owned)).toEqual({ Rain: "published" });
    expect((await owned.fetch("/rain")).status).toBe(200);
  });

  test("selected posts move to a category or to none; a deleted category is rejected", async () => {
    const owned = await startOwned();
    const { id } = await write(owned, { title: "Rain", category: "Sea" });
    const wind = await write(owned, { title: "Wind", category: "Weather" });
    const { category } = (await owned.api("GET", `/posts/${wind.id}`)).body.post;
    const move = (to: string) =>
      `${LIST}/bulk?${new URLSearchParams({ do: "category", id: String(id), to })}`;
    const page = await read(owned, move(String(category.id)));
    const form = fieldsIn(page.slice(page.indexOf('<form class="actions"')));
    await owned.browser.post(`${LIST}/bulk`, { ...form, next: LIST });
    expect((await owned.api("GET", `/posts/${id}`)).body.post.category.name).toBe("Weather");
    expect(words(await read(owned, move("none")))).toContain("Removed from Weather");
    const unknown = await owned.browser.get(move("999"));
    expect([unknown.status, words(await unknown.text())]).toEqual([
      400,
      expect.stringContaining("This category no longer exists."),
    ]);
  });

  test("deleted posts are skipped, an empty selection does nothing, an unknown action is rejected", async () => {
    const owned = await startOwned();
    const { id } = await write(owned, { title: "Rain" });
    expect(words(await read(owned, bulk("publish", [id, 999])))).toContain("Publish 1 post?");
    const nothing = await owned.browser.get(`${LIST}/bulk?do=publish`);
    expect([nothing.status, nothing.headers.get("location")]).toEqual([303, LIST]);
    for (const path of [bulk("burn", [id]), bulk("constructor", [id]), bulk("category", [id], "77")])
      expect([path, (await owned.browser.get(path)).status]).toEqual([path, 400]);
  });

  test("other sites' forms, other accounts and signed-out browsers are rejected", async () => {
    const owned = await startOwned();
    const eve = owned.newAccount("eve@example.com");
    owned.newBlog({ slug: "eves" }, eve);
    const { id } = await write(owned, { title: "Rain" });
    const fields = { do: "publish", id: String(id) };
    const strange: Record<string, string>[] = [
      { origin: "https://evil.example" },
      { "sec-fetch-site": "cross-site" },
      {},
    ];
    for (const headers of strange)
      for (const path of [`${LIST}/bulk`, `${LIST}/trash`])
        expect((await owned.browser.post(path, fields, headers)).status).toBe(403);
    const eves = await owned.browserOf(eve);
    expect((await eves.post(`${LIST}/bulk`, fields)).status).toBe(403);
    // Posts of other blogs are skipped.
    expect((await eves.post("/admin/blogs/eves/posts/bulk", fields)).status).toBe(303);
    const preview = await eves.get(`/admin/blogs/eves/posts/bulk?do=publish&id=${id}`);
    expect(await preview.text()).not.toContain("Rain");
    expect((await owned.fetch(`${LIST}/bulk`, { method: "POST" })).status).toBe(303);
    expect(await states(owned)).toEqual({ Rain: "draft" });
  });

  test("the page to return to must be on this host", async () => {
    const owned = await startOwned();
    const { id } = await write(owned, { title: "Rain" });
    for (const next of ["https://evil.example/", "//evil.example/"]) {
      const done = await owned.browser.post(`${LIST}/bulk`, { do: "delete", id: String(id), next });
      expect(done.headers.get("location")).toBe(LIST);
    }
  });
});
