import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { moveBlog } from "../../../src/blogs/blog-addresses";
import { fieldsIn } from "../../support/cookie-browser";
import { picture, uploadForm } from "../../support/pictures";
import { HOUR } from "../../support/platen";
import { type Owned, startOwned } from "../owner";
import { corpus } from "./corpus";
import { formIn, pressButton, send } from "./post-form";

const NEW = "/admin/blogs/ada/posts/new";
const postPath = (id: number) => `/admin/blogs/ada/posts/${id}`;

const postNow = async ({ api }: Owned, id: number) =>
  (await api("GET", `/posts/${id}?include_source=true`)).body.post;
const newPost = async ({ api }: Owned, post: Record<string, unknown>) =>
  (await api("POST", "/posts", { post })).body.post as { id: number; updated_at: string };

async function uploadOf({ api, fetch, key }: Owned): Promise<string> {
  const body = uploadForm(await picture(), "cat.jpg");
  await fetch("/api/v1/attachments", { method: "POST", headers: { authorization: `Bearer ${key}` }, body });
  return (await api("GET", "/attachments")).body.attachments[0].html;
}

/** @returns the id of the post that the response redirects to */
async function idOf(answer: Response): Promise<number> {
  expect([answer.status, answer.status === 303 ? "" : await answer.text()]).toEqual([303, ""]);
  return Number(/\/posts\/(\d+)$/.exec(answer.headers.get("location") ?? "")?.[1]);
}

describe("without scripts", () => {
  test("a draft is saved, published, changed and unpublished with the form's buttons", async () => {
    const owned = await startOwned();
    const { browser } = owned;
    const content = "<p>One</p>\n<p>Two</p>";
    const id = await idOf(await pressButton(browser, NEW, "save", { title: "Rain", content }));
    expect(await postNow(owned, id)).toMatchObject({ title: "Rain", status: "draft" });
    expect((await postNow(owned, id)).content.source).toBe(content);

    await idOf(await pressButton(browser, postPath(id), "publish"));
    expect(await postNow(owned, id)).toMatchObject({ status: "published", url: "http://blog.test/rain" });
    const page = await (await browser.get(postPath(id))).text();
    expect(page).toContain("Publish changes");
    expect(page).toContain('href="http://blog.test/rain"');

    await idOf(await pressButton(browser, postPath(id), "save", { title: "Snow", tags: "cold, white" }));
    expect(await postNow(owned, id)).toMatchObject({ title: "Snow", tags: ["cold", "white"], slug: "rain" });
    await idOf(await pressButton(browser, postPath(id), "unpublish"));
    expect((await postNow(owned, id)).status).toBe("draft");
  });

  test("the form of a post with three hundred pictures is accepted", async () => {
    const owned = await startOwned();
    const names = Array.from({ length: 300 }, (_, number) => `walk-${number}.jpg`);
    const fields = { title: "A walk", content: "x", alt_file: names, alt: names, caption: names };
    const id = await idOf(await pressButton(owned.browser, NEW, "save", fields));
    expect((await postNow(owned, id)).title).toBe("A walk");
  });

  test("every field of the panel is saved, and other fields are unchanged", async () => {
    const owned = await startOwned();
    const before = await newPost(owned, {
      title: "A",
      content: "x",
      status: "published",
      published_at: "2026-02-03T04:05:06.789Z",
      alt_text: { "elsewhere.jpg": "kept" },
    });
    const changes = { slug: "b", category: "Walks", type: "page", switch: ["hidden"] };
    await idOf(await pressButton(owned.browser, postPath(before.id), "save", changes));
    expect(await postNow(owned, before.id)).toMatchObject({
      slug: "b",
      type: "page",
      category: { name: "Walks" },
      published_at: "2026-02-03T04:05:06.789Z",
      meta: { hidden: true, hide_in_rss: false },
    });
    await idOf(await pressButton(owned.browser, postPath(before.id), "save", { switch: [], category: "" }));
    expect(await postNow(owned, before.id)).toMatchObject({ category: null, meta: { hidden: false } });
  });

  test("a new page has komments off, and its settings can turn them on", async () => {
    const owned = await startOwned();
    const NEW_PAGE = `${NEW}?type=page`;
    const about = await idOf(await pressButton(owned.browser, NEW_PAGE, "publish", { title: "About" }));
    expect(await postNow(owned, about)).toMatchObject({ type: "page", meta: { komments_disabled: true } });
    const guests = await idOf(
      await pressButton(owned.browser, NEW_PAGE, "publish", { title: "Guest book", switch: [] }),
    );
    expect((await postNow(owned, guests)).meta.komments_disabled).toBe(false);
    const rain = await idOf(await pressButton(owned.browser, NEW, "publish", { title: "Rain" }));
    expect((await postNow(owned, rain)).meta.komments_disabled).toBe(false);
    const { id } = await newPost(owned, { title: "By a program", type: "page" });
    expect((await postNow(owned, id)).meta.komments_disabled).toBe(false);
  });

  test("a future time in the blog's time zone schedules a post; a past one is rejected", async () => {
    const owned = await startOwned();
    owned.platen.db.$client.run("UPDATE blogs SET time_zone = 'Europe/Berlin'");
    const form = { title: "Soon", content: "x", publish_at: "2026-03-01T15:00" };
    const id = await idOf(await pressButton(owned.browser, NEW, "schedule", form));
    expect(await (await owned.browser.get(postPath(id))).text()).toContain('value="schedule">Save</button>');
    expect(await postNow(owned, id)).toMatchObject({ published_at: "2026-03-01T14:00:00.000Z" });
    const page = await (await owned.browser.get(postPath(id))).text();
    expect(page).toContain('value="2026-03-01T15:00"');
    expect(page).toContain("Time zone Europe/Berlin");
    owned.pass(3 * HOUR);
    const past = await pressButton(owned.browser, NEW, "schedule", {
      ...form,
      publish_at: "2026-03-01T13:00",
    });
    expect(past.status).toBe(422);
    expect(await past.text()).toContain("Publish at must be in the future.");
  });

  test("saves a scheduled post that has gone live since the form was opened", async () => {
    const owned = await startOwned();
    const fields = { title: "Soon", content: "x", publish_at: "2026-03-01T15:00" };
    const id = await idOf(await pressButton(owned.browser, NEW, "schedule", fields));
    const form = formIn(await (await owned.browser.get(postPath(id))).text());
    form.set("title", "Now");
    owned.pass(4 * HOUR);
    await idOf(await send(owned.browser, postPath(id), "schedule", form));
    expect(await postNow(owned, id)).toMatchObject({
      title: "Now",
      status: "published",
      published_at: "2026-03-01T15:00:00.000Z",
    });
  });

  test("a form that was opened before the blog's slug changed still saves", async () => {
    const owned = await startOwned();
    const { id } = await newPost(owned, { title: "Rain", content: "x" });
    const form = formIn(await (await owned.browser.get(postPath(id))).text());
    form.set("title", "Snow");
    moveBlog(owned.platen, owned.blog, { slug: "garden" });
    await idOf(await send(owned.browser, postPath(id), "save", form));
    expect(await postNow(owned, id)).toMatchObject({ title: "Snow" });
  });

  test("a form that cannot be saved returns with everything that was typed", async () => {
    const { browser } = await startOwned();
    const typed = { title: "x".repeat(501), content: "<p>A & <b>b</b></p>", category: "Walks" };
    const answer = await pressButton(browser, NEW, "publish", typed);
    expect(answer.status).toBe(422);
    const page = await answer.text();
    expect(page).toContain("Title must be at most 500 characters.");
    // Without this mark, a script could replace the form by an older text of this browser.
    expect(page).toContain(" data-refused>");
    const form = formIn(page);
    expect([form.get("content"), form.get("category")]).toEqual([typed.content, "Walks"]);
    expect((await pressButton(browser, NEW, "save", { title: " ", content: "" })).status).toBe(422);
  });

  test("a form with a damaged picture returns with everything that was typed", async () => {
    const { browser } = await startOwned();
    const form = formIn(await (await browser.get(NEW)).text());
    form.set("content", "<p>Look:</p>");
    form.append("files", new File([(await picture(400, 300)).slice(0, -100)], "cat.jpg"));
    const answer = await send(browser, NEW, "save", form);
    const page = await answer.text();
    expect(answer.status).toBe(422);
    expect(formIn(page).get("content")).toBe("<p>Look:</p>");
    expect(page).toMatch(/<p class="wrong" role="alert">[^<]+</);
  });

  test("appends picked pictures and keeps their alt texts", async () => {
    const owned = await startOwned();
    const form = formIn(await (await owned.browser.get(NEW)).text());
    form.set("content", "<p>Look:</p>");
    form.append("files", new File([await picture()], "cat.jpg"));
    const id = await idOf(await send(owned.browser, NEW, "save", form));
    expect((await postNow(owned, id)).attachments).toMatchObject([{ filename: "cat.jpg", alt: "" }]);
    await idOf(await pressButton(owned.browser, postPath(id), "save", { alt: "A cat" }));
    expect((await postNow(owned, id)).attachments).toMatchObject([{ alt: "A cat" }]);
    await idOf(await pressButton(owned.browser, postPath(id), "save", { alt: "", decorative: "cat.jpg" }));
    owned.platen.db.$client.run("UPDATE blobs SET caption = 'Tom'");
    expect((await postNow(owned, id)).attachments).toMatchObject([{ alt: "" }]);
    expect(await (await owned.browser.get(postPath(id))).text()).toContain('value="cat.jpg" checked');
    await idOf(await pressButton(owned.browser, postPath(id), "save", { decorative: [] }));
    expect((await postNow(owned, id)).attachments).toMatchObject([{ alt: "Tom" }]);
  });

  test("leaves no file in the incoming folder if another button than Save sends picked pictures", async () => {
    const owned = await startOwned();
    const { id } = await newPost(owned, { title: "A" });
    const form = formIn(await (await owned.browser.get(postPath(id))).text());
    form.append("files", new File([await picture()], "cat.jpg"));
    for (const action of ["compare", "discard", "delete"])
      expect((await send(owned.browser, postPath(id), action, form)).status).toBeLessThan(400);
    expect(readdirSync(join(owned.platen.config.data, "media/.incoming"))).toEqual([]);
  });

  test("captions have their own fields and change only their element", async () => {
    const owned = await startOwned();
    const upload = await uploadOf(owned);
    const element = upload.replace(' caption=""', "").replace("></", " caption='Old' data-x=\"1\" ></");
    const { id } = await newPost(owned, { title: "A", content: `<p>a</p >\n${element}<p>b` });
    await idOf(await pressButton(owned.browser, postPath(id), "save"));
    expect((await postNow(owned, id)).content.source).toBe(`<p>a</p >\n${element}<p>b`);
    await idOf(await pressButton(owned.browser, postPath(id), "save", { caption: 'Tom & "Co"' }));
    const { source, html } = (await postNow(owned, id)).content;
    expect(source).toContain('caption="Tom &amp; &quot;Co&quot;"></');
    expect([source.startsWith("<p>a</p >\n<"), source.endsWith("<p>b"), source.includes("Old")]).toEqual([
      true,
      true,
      false,
    ]);
    expect(html).toContain("<figcaption>Tom &amp; &quot;Co&quot;</figcaption>");
  });

  test("a deleted post can be restored from the toast", async () => {
    const owned = await startOwned();
    const { id } = await newPost(owned, { title: "A", status: "published" });
    const answer = await pressButton(owned.browser, postPath(id), "delete");
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/admin/blogs/ada/posts"]);
    const list = await (await owned.browser.get("/admin/blogs/ada/posts")).text();
    expect((await owned.browser.get(postPath(id))).status).toBe(404);
    const undo = list.slice(list.indexOf('class="toast"'));
    expect(undo).toContain("moved to the trash");
    await owned.browser.post("/admin/blogs/ada/posts/trash", fieldsIn(undo));
    expect((await owned.browser.get(postPath(id))).status).toBe(200);
  });
});

test("opening and saving a post without changes changes nothing", async () => {
  const owned = await startOwned();
  const sources = corpus().filter((_, index) => index % 15 === 0);
  let saved = 0;
  for (const content of sources)
    for (const content_type of ["html", "markdown"]) {
      const made = await owned.api("POST", "/posts", { post: { title: "T", content, content_type } });
      if (made.status !== 201) continue;
      const { id } = made.body.post;
      const before = await postNow(owned, id);
      owned.pass(HOUR);
      await idOf(await pressButton(owned.browser, postPath(id), "save"));
      expect(await postNow(owned, id)).toEqual(before);
      saved++;
    }
  expect(saved).toBeGreaterThan(50);
});

test("a save on top of somebody else's returns 409 with both texts; the next save succeeds", async () => {
  const owned = await startOwned();
  const { id } = await newPost(owned, { title: "A", content: "<p>first</p>" });
  const form = formIn(await (await owned.browser.get(postPath(id))).text());
  await owned.api("PATCH", `/posts/${id}`, { post: { content: "<p>theirs</p>" } });
  form.set("content", "<p>mine</p>");
  const answer = await send(owned.browser, postPath(id), "save", form);
  expect(answer.status).toBe(409);
  const page = await answer.text();
  expect(page).toContain("&lt;p&gt;theirs&lt;/p&gt;");
  expect(page).toContain("&lt;p&gt;mine&lt;/p&gt;");
  expect((await postNow(owned, id)).content.source).toBe("<p>theirs</p>");
  await idOf(await send(owned.browser, postPath(id), "save", formIn(page)));
  expect((await postNow(owned, id)).content.source).toBe("<p>mine</p>");
});

describe("access", () => {
  test("forms of other sites and other accounts are rejected", async () => {
    const owned = await startOwned();
    const { id } = await newPost(owned, { title: "A" });
    const eve = await owned.browserOf(owned.newAccount("eve@example.com"));
    for (const path of [NEW, postPath(id)]) {
      expect((await eve.get(path)).status).toBe(403);
      const form = formIn(await (await owned.browser.get(path)).text());
      form.set("title", "B");
      form.append("files", new File([await picture()], "cat.jpg"));
      const foreign = { origin: "https://evil.test" };
      const answer = await owned.browser.send(path, { method: "POST", body: form, headers: foreign });
      expect(answer.status).toBe(403);
      expect((await owned.browser.post(path, { title: "B" }, foreign)).status).toBe(403);
    }
    expect((await postNow(owned, id)).title).toBe("A");
    expect((await owned.api("GET", "/attachments")).body.attachments).toEqual([]);
  });

  test("an urlencoded form of the same fields is accepted", async () => {
    const owned = await startOwned();
    const { id } = await newPost(owned, { title: "A" });
    const page = await (await owned.browser.get(postPath(id))).text();
    const fields = Object.fromEntries(formIn(page).entries()) as Record<string, string>;
    const save = { ...fields, title: "B", action: "save" };
    expect(await idOf(await owned.browser.post(postPath(id), save))).toBe(id);
    expect((await postNow(owned, id)).title).toBe("B");
  });

  test("a post of another blog returns 404", async () => {
    const owned = await startOwned();
    const { id } = await newPost(owned, { title: "A" });
    owned.newBlog({ slug: "garden" });
    expect((await owned.browser.get(`/admin/blogs/garden/posts/${id}`)).status).toBe(404);
    expect((await owned.browser.get("/admin/blogs/ada/posts/x")).status).toBe(404);
  });
});

describe("uploads of the editor", () => {
  const upload = (
    owned: Owned,
    form: FormData,
    headers: Record<string, string> = { origin: "http://blog.test" },
  ) => owned.browser.send("/admin/blogs/ada/uploads", { method: "POST", body: form, headers });

  test("an upload stores the file and returns the HTML for the editor", async () => {
    const owned = await startOwned();
    const answer = await upload(owned, uploadForm(await picture(), "My Cat.jpg"));
    expect(answer.status).toBe(201);
    const { file } = (await answer.json()) as { file: Record<string, unknown> };
    expect(file).toMatchObject({ mediaType: "image", contentType: "image/jpeg", caption: "" });
    expect((await owned.fetch(file.url as string)).status).toBe(200);
    const found = await owned.browser.get(`/admin/blogs/ada/uploads?sgid=${file.sgid}&sgid=forged`);
    expect(await found.json()).toEqual({ files: [file] });
  });

  test("a file that is not a picture is rejected with a message; an upload of another site leaves nothing", async () => {
    const owned = await startOwned();
    const wrong = await upload(owned, uploadForm(new TextEncoder().encode("hello"), "a.jpg"));
    expect(wrong.status).toBe(422);
    expect(((await wrong.json()) as { message: string }).message).toContain("JPEG");
    const foreign = await upload(owned, uploadForm(await picture(), "a.jpg"), {
      origin: "https://evil.test",
    });
    expect(foreign.status).toBe(403);
    expect((await owned.fetch("/admin/blogs/ada/uploads", { method: "POST" })).status).toBe(401);
    expect((await owned.api("GET", "/attachments")).body.attachments).toEqual([]);
  });
});

test("converts Markdown to rich text without saving; Discard restores it", async () => {
  const owned = await startOwned();
  const content =
    "## Tea\n\n- [x] one\n- two[^1]\n\n| a | b |\n|--|--:|\n| 1 | 2 |\n\n```ruby\nputs 1\n```\n\n[^1]: A note.\n\n";
  const whole = content + (await uploadOf(owned));
  const { id } = await newPost(owned, { title: "Tea", content: whole, content_type: "markdown" });
  const before = await postNow(owned, id);
  const form = formIn(await (await owned.browser.get(postPath(id))).text());
  const answer = await send(owned.browser, postPath(id), "continue", form);
  expect([answer.status, answer.headers.get("location")]).toEqual([303, postPath(id)]);
  expect(await postNow(owned, id)).toEqual(before);
  const page = await (await owned.browser.get(postPath(id))).text();
  const rich = formIn(page);
  expect([rich.get("content_type"), rich.get("content")]).toEqual(["html", expect.stringContaining("<h2")]);
  // Saving without a change changes nothing.
  await idOf(await send(owned.browser, postPath(id), "save", rich));
  expect(await postNow(owned, id)).toEqual(before);
  rich.set("content", `${rich.get("content")}<p>More.</p>`);
  await idOf(await send(owned.browser, postPath(id), "save", rich));
  const { source_type, html } = (await postNow(owned, id)).content;
  expect([source_type, html]).toEqual(["html", `${before.content.html}<p>More.</p>`]);

  const converted = await pressButton(owned.browser, `${NEW}?format=markdown`, "continue", {
    content: "*now*",
  });
  const path = converted.headers.get("location") as string;
  const shown = formIn(await (await owned.browser.get(path)).text()).get("content");
  expect(shown).toBe("<p><em>now</em></p>\r\n");
});

test("the preview shows an unsaved post without a title", async () => {
  const owned = await startOwned();
  const form = formIn(await (await owned.browser.get(`${NEW}?format=markdown`)).text());
  form.set("content", "*now*");
  const answer = await send(owned.browser, "/admin/blogs/ada/preview", "", form);
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining("<em>now</em>")]);
});

test("the preview shows unsaved changes like the post's page, and saves nothing", async () => {
  const owned = await startOwned();
  const { id } = await newPost(owned, { title: "A", content: "<p>first</p>" });
  const form = formIn(await (await owned.browser.get(postPath(id))).text());
  form.set("title", "Harbour");
  form.set("content", "*now*");
  form.set("content_type", "markdown");
  const answer = await send(owned.browser, "/admin/blogs/ada/preview", "", form);
  expect(answer.status).toBe(200);
  const page = await answer.text();
  expect(page).toContain('<h1 class="p-name">Harbour</h1>');
  expect(page).toContain("<em>now</em>");
  expect(answer.headers.get("content-security-policy")).toContain("frame-ancestors 'self'");
  expect((await postNow(owned, id)).content.source).toBe("<p>first</p>");
  expect((await owned.fetch("/admin/blogs/ada/preview", { method: "POST", body: form })).status).toBe(401);
});
