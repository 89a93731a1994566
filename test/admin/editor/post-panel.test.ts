import { describe, expect, test } from "bun:test";
import { picture, uploadForm } from "../../support/pictures";
import { type Owned, startOwned } from "../owner";
import { formIn, pressButton, send } from "./post-form";

const postPath = (id: number) => `/admin/blogs/ada/posts/${id}`;

const newPost = async ({ api }: Owned, post: Record<string, unknown>) =>
  (await api("POST", "/posts", { post })).body.post as { id: number; updated_at: string };
const postNow = async ({ api }: Owned, id: number) =>
  (await api("GET", `/posts/${id}?include_source=true`)).body.post;
const pageOf = async ({ browser }: Owned, id: number) => (await browser.get(postPath(id))).text();

describe("the share link", () => {
  test("is created, opened by anyone with the link, and revoked; the form stays unchanged", async () => {
    const owned = await startOwned();
    const { id } = await newPost(owned, { title: "Rain", content: "<p>first</p>" });
    const form = formIn(await pageOf(owned, id));
    form.set("content", "<p>typed, and not saved</p>");
    const shared = await (await send(owned.browser, postPath(id), "share", form)).text();
    expect(shared).not.toContain('class="toast"');
    const { meta, content } = await postNow(owned, id);
    expect([meta.is_shared, content.source]).toEqual([true, "<p>first</p>"]);
    const link = `http://blog.test/share/${meta.share_id}`;
    expect(shared).toContain(`>\n${link}</textarea>`);
    expect((await owned.fetch(link)).status).toBe(200);

    const again = formIn(shared);
    expect(again.get("content")).toBe("<p>typed, and not saved</p>");
    const revoked = await (await send(owned.browser, postPath(id), "revoke", again)).text();
    expect(revoked).toContain("Share link revoked.");
    expect((await owned.fetch(link)).status).toBe(404);
    expect(formIn(revoked).get("content")).toBe("<p>typed, and not saved</p>");
    expect((await send(owned.browser, postPath(id), "save", formIn(revoked))).status).toBe(303);
    expect(await postNow(owned, id)).toMatchObject({
      content: { source: "<p>typed, and not saved</p>" },
      meta: { is_shared: false },
    });
  });

  test("is neither created nor revoked by a save", async () => {
    const owned = await startOwned();
    const { id } = await newPost(owned, { title: "Rain", meta: { is_shared: true } });
    await pressButton(owned.browser, postPath(id), "save", { title: "Snow", switch: [] });
    expect(await postNow(owned, id)).toMatchObject({ title: "Snow", meta: { is_shared: true } });
  });

  test("does not hide somebody else's save when it is created", async () => {
    const owned = await startOwned();
    const { id } = await newPost(owned, { title: "Rain" });
    const form = formIn(await pageOf(owned, id));
    await owned.api("PATCH", `/posts/${id}`, { post: { title: "Theirs" } });
    const shared = formIn(await (await send(owned.browser, postPath(id), "share", form)).text());
    expect((await send(owned.browser, postPath(id), "save", shared)).status).toBe(409);
    expect((await postNow(owned, id)).title).toBe("Theirs");
  });

  test("cannot be created by another account", async () => {
    const owned = await startOwned();
    const { id } = await newPost(owned, { title: "Rain" });
    const form = formIn(await pageOf(owned, id));
    const eve = await owned.browserOf(owned.newAccount("eve@example.com"));
    for (const action of ["share", "duplicate"])
      expect((await send(eve, postPath(id), action, form)).status).toBe(403);
    expect((await postNow(owned, id)).meta.is_shared).toBe(false);
    expect((await owned.api("GET", "/posts?status=all")).body.pagination.total).toBe(1);
  });
});

test("a post's preview picture is chosen among its pictures, and restored with a revision", async () => {
  const owned = await startOwned();
  for (const name of ["one.jpg", "two.jpg"]) {
    const body = uploadForm(await picture(), name);
    const headers = { authorization: `Bearer ${owned.key}` };
    await owned.fetch("/api/v1/attachments", { method: "POST", headers, body });
  }
  const files = (await owned.api("GET", "/attachments")).body.attachments;
  const content = files.map(({ html }: { html: string }) => html).join("");
  const { id } = await newPost(owned, { title: "Rain", content });
  const page = await pageOf(owned, id);
  expect(page.match(/name="preview_image" value="[^"]*"/g)).toHaveLength(4);
  const chosenPicture = async () => (await postNow(owned, id)).preview_image;
  const first = await chosenPicture();
  const other = files.find(({ url }: { url: string }) => url !== first);
  await pressButton(owned.browser, postPath(id), "save", { preview_image: other.filename });
  expect(await chosenPicture()).toBe(other.url);
  await pressButton(owned.browser, postPath(id), "save", { preview_image: "none" });
  expect(await chosenPicture()).toBeNull();
  const [, revision] = /revision=(\d+)/.exec(
    await (await owned.browser.get(`${postPath(id)}/revisions`)).text(),
  ) as unknown as [string, string];
  await owned.browser.post(`${postPath(id)}/revisions`, { revision });
  expect(await chosenPicture()).toBe(other.url);
});

test("duplicates a post as a new draft from the form; the post stays unchanged", async () => {
  const owned = await startOwned();
  const { api, fetch, key, browser } = owned;
  const body = uploadForm(await picture(), "cat.jpg");
  await fetch("/api/v1/attachments", { method: "POST", headers: { authorization: `Bearer ${key}` }, body });
  const [{ html }] = (await api("GET", "/attachments")).body.attachments;
  const { id } = await newPost(owned, {
    title: "Rain",
    content: html,
    status: "published",
    category: "Walks",
    tags: ["cold", "wet"],
    meta: { hide_in_rss: true, is_shared: true },
    alt_text: { "cat.jpg": "A cat" },
  });
  const before = await postNow(owned, id);
  const answer = await pressButton(browser, postPath(id), "duplicate", { title: "Snow" });
  const copy = Number(/\/(\d+)$/.exec(answer.headers.get("location") ?? "")?.[1]);
  expect(copy).not.toBe(id);
  expect(await postNow(owned, copy)).toMatchObject({
    title: "Snow",
    slug: "snow",
    status: "draft",
    published_at: null,
    content: { source: html },
    category: { name: "Walks" },
    tags: ["cold", "wet"],
    meta: { hide_in_rss: true, is_shared: false },
    attachments: [{ blob_id: before.attachments[0].blob_id, alt: "A cat" }],
  });
  expect(await postNow(owned, id)).toEqual(before);
});

test("a form that returned with an error overwrites nothing that was saved since it was loaded", async () => {
  const owned = await startOwned();
  const { id } = await newPost(owned, { title: "Rain" });
  const form = formIn(await (await owned.browser.get(postPath(id))).text());
  await owned.api("PATCH", `/posts/${id}`, { post: { title: "Hail" } });
  form.set("title", "x".repeat(501));
  const refused = await send(owned.browser, postPath(id), "duplicate", form);
  expect(refused.status).toBe(422);
  const again = formIn(await refused.text());
  again.set("title", "Snow");
  expect((await send(owned.browser, postPath(id), "save", again)).status).toBe(409);
  expect((await postNow(owned, id)).title).toBe("Hail");
});

describe("the panel", () => {
  test("shows the URL, old URLs, categories, tags, and the time in the blog's time zone", async () => {
    const owned = await startOwned();
    owned.platen.db.$client.run("UPDATE blogs SET time_zone = 'Europe/Berlin'");
    const { id } = await newPost(owned, { title: "Rain", category: "Walks", tags: ["wet"] });
    await owned.api("PATCH", `/posts/${id}`, { post: { slug: "snow" } });
    const page = await pageOf(owned, id);
    expect(page).toContain("http://blog.test/<strong>snow</strong>");
    expect(page).toContain("<li>http://blog.test/rain</li>");
    expect(page).toContain('<option value="Walks">');
    expect(page).toContain('<option value="wet">');
    expect(page).toContain("Time zone Europe/Berlin, now 13:00.");
    const published_at = "2026-03-01T15:00:00Z";
    await owned.api("PATCH", `/posts/${id}`, { post: { status: "published", published_at } });
    expect(await pageOf(owned, id)).toMatch(
      /Scheduled · <time[^>]*>in 3 h<\/time><\/span> <span>1 Mar 2026, 16:00/,
    );
    await owned.api("PATCH", `/posts/${id}`, { post: { published_at: "2026-03-15T15:00:00Z" } });
    const [far = ""] = /<p class="now-so">.*/.exec(await pageOf(owned, id)) ?? [];
    expect(far.replaceAll(/<[^>]+>/g, "").trim()).toBe("Scheduled · on 15 Mar 2026, 16:00");
  });

  test("shows the link preview: the first picture, or else the title card, also of a draft", async () => {
    const owned = await startOwned();
    const { id } = await newPost(owned, { title: "Rain", content: "<p>It rained.</p>" });
    const page = await pageOf(owned, id);
    expect(page).toContain('<span class="excerpt">It rained.</span>');
    const card = await owned.browser.get(`${postPath(id)}/card`);
    expect([card.status, card.headers.get("content-type")]).toEqual([200, "image/png"]);
    expect(page).toContain(`src="${postPath(id)}/card"`);

    const form = formIn(page);
    form.append("files", new File([await picture()], "cat.jpg"));
    await send(owned.browser, postPath(id), "save", form);
    expect(await pageOf(owned, id)).toMatch(/link-card">\n<img src="\/media\/[^"]+"/);
  });

  test("shows a draft's card only to its owner", async () => {
    const owned = await startOwned();
    const { id } = await newPost(owned, { title: "Rain" });
    const eve = await owned.browserOf(owned.newAccount("eve@example.com"));
    expect((await eve.get(`${postPath(id)}/card`)).status).toBe(403);
    expect((await owned.fetch(`${postPath(id)}/card`)).status).toBe(401);
    expect((await owned.browser.get("/admin/blogs/ada/posts/x/card")).status).toBe(404);
  });

  test("is open if it was left open, or if it contains an error", async () => {
    const owned = await startOwned();
    const isOpen = (page: string) => page.includes('id="panel" open');
    const { id } = await newPost(owned, { title: "Rain" });
    expect(isOpen(await pageOf(owned, id))).toBe(false);
    const wrong = await pressButton(owned.browser, postPath(id), "schedule", {
      publish_at: "2026-02-01T12:00",
    });
    expect([wrong.status, isOpen(await wrong.text())]).toEqual([422, true]);
    owned.browser.cookies.set("platen_panel", "open");
    expect(isOpen(await pageOf(owned, id))).toBe(true);
  });
});

test("Archive removes a post from the site, and Publish brings it back", async () => {
  const owned = await startOwned();
  const { id } = await newPost(owned, { title: "Rain", status: "published" });
  await pressButton(owned.browser, postPath(id), "archive");
  expect(await postNow(owned, id)).toMatchObject({ status: "archived", meta: { archived: true } });
  expect((await owned.fetch("/rain")).status).toBe(404);
  await pressButton(owned.browser, postPath(id), "publish");
  expect((await owned.fetch("/rain")).status).toBe(200);
});

test("of several fields with errors, the first has the focus", async () => {
  const owned = await startOwned();
  const { id } = await newPost(owned, { title: "Rain" });
  const refused = { slug: "s".repeat(300), category: "c".repeat(300), tags: "t".repeat(300) };
  for (const [title, first] of [
    ["Rain", "slug"],
    ["x".repeat(800), "title"],
  ] as const) {
    const page = await (await pressButton(owned.browser, postPath(id), "save", { ...refused, title })).text();
    expect(page.match(/ id="\w+-fault"/g)?.length).toBeGreaterThan(2);
    expect([...page.matchAll(/ id="(\w+)"[^>]* autofocus/g)].map(([, field]) => field)).toEqual([first]);
  }
});

test("summary and pin are set in the panel, validated, and restored with a revision", async () => {
  const owned = await startOwned();
  expect(formIn(await (await owned.browser.get("/admin/blogs/ada/posts/new")).text()).get("summary")).toBe(
    "",
  );
  const { id } = await newPost(owned, { title: "Rain", content: "<p>It rains.</p>", summary: "A <wet> day" });
  expect(formIn(await pageOf(owned, id)).get("summary")).toBe("A <wet> day");
  await pressButton(owned.browser, postPath(id), "save", { summary: "Drops\r\nfall", switch: ["pinned"] });
  expect(await postNow(owned, id)).toMatchObject({ summary: "Drops fall", pinned: true });
  await pressButton(owned.browser, postPath(id), "save", { title: "Rain again" });
  expect(await postNow(owned, id)).toMatchObject({ summary: "Drops fall", pinned: true });

  const refused = await pressButton(owned.browser, postPath(id), "save", { summary: "x".repeat(501) });
  const page = await refused.text();
  expect([refused.status, formIn(page).get("summary")]).toEqual([422, "x".repeat(501)]);
  expect(page).toContain("Summary must be at most 500 characters.");

  await pressButton(owned.browser, postPath(id), "save", { summary: " ", switch: [] });
  expect(await postNow(owned, id)).toMatchObject({ summary: null, pinned: false });
  const list = await (await owned.browser.get(`${postPath(id)}/revisions`)).text();
  const [, revision = ""] = /revision=(\d+)/.exec(list) ?? [];
  const compared = await (await owned.browser.get(`${postPath(id)}/revisions?revision=${revision}`)).text();
  expect(compared).toContain('<dt>Summary</dt><dd class="diff"><del>none</del> <ins>Drops fall</ins>');
  await owned.browser.post(`${postPath(id)}/revisions`, { revision });
  expect(await postNow(owned, id)).toMatchObject({ summary: "Drops fall", pinned: true });
});

test("the language is typed as a tag, the translation as the URL of another post", async () => {
  const owned = await startOwned();
  const { id } = await newPost(owned, { title: "Rain", status: "published" });
  const german = await newPost(owned, { title: "Regen" });
  const away = owned.newBlog({ title: "Pluie", slug: "pluie" });
  const french = (await owned.api("POST", "/posts", { blog_id: away.id, post: { title: "La pluie" } })).body
    .post;
  expect(await pageOf(owned, german.id)).not.toMatch(/<details open><summary>/);
  await pressButton(owned.browser, postPath(german.id), "save", { language: " de ", translation_of: "rain" });
  expect(await postNow(owned, german.id)).toMatchObject({ language: "de", translation_of: id });
  await pressButton(owned.browser, postPath(id), "save", {
    translation_of: "http://blog.test/@pluie/la-pluie",
  });
  expect(await postNow(owned, id)).toMatchObject({ translation_of: french.id });
  const page = await pageOf(owned, id);
  expect(page).toMatch(/<details open><summary>/);
  expect(page).toContain('<option value="regen">Regen</option>');
  expect(formIn(page).get("translation_of")).toBe("http://blog.test/@pluie/la-pluie");

  for (const [field, value] of [
    ["language", "german"],
    ["translation_of", "nowhere"],
    ["translation_of", "rain"],
  ] as const) {
    const refused = await pressButton(owned.browser, postPath(id), "save", { [field]: value });
    expect([field, refused.status]).toEqual([field, 422]);
    expect(await refused.text()).toMatch(new RegExp(`id="${field}"[^>]* aria-invalid="true"[^>]* autofocus`));
  }
  await pressButton(owned.browser, postPath(id), "save", { translation_of: "" });
  expect((await postNow(owned, id)).translation_of).toBeNull();
  const copied = await pressButton(owned.browser, postPath(german.id), "duplicate");
  const copy = Number(/\/(\d+)$/.exec(copied.headers.get("location") ?? "")?.[1]);
  expect(await postNow(owned, copy)).toMatchObject({ language: "de", translation_of: null });
});
