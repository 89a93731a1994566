import { describe, expect, test } from "bun:test";
import { dataVersion } from "../../../../src/database/change-counter";
import { unsavedPosts } from "../../../../src/database/schema";
import { yieldToEventLoop } from "../../../../src/runtime/yielding";
import { EXPIRY_TASKS } from "../../../../src/upkeep/background-tasks";
import { removeAccount, removeBlog } from "../../../../src/upkeep/removal/removal";
import { formIn, send } from "../../../admin/editor/post-form";
import { type Owned, startOwned } from "../../../admin/owner";
import type { Browser } from "../../../support/cookie-browser";
import { picture, uploadForm } from "../../../support/pictures";
import { DAY } from "../../../support/platen";
import { countTicks } from "../../../support/ticks";

const NEW = "/admin/blogs/ada/posts/new";
const pathOf = (id: number) => `/admin/blogs/ada/posts/${id}`;
const ORIGIN = { origin: "http://blog.test" };

/** A tab with a form, and the requests of its script. */
async function tab(browser: Browser, path: string) {
  const form = formIn(await (await browser.get(path)).text());
  const to = path.replace(/posts\/(\w+).*/, "unsaved/$1");
  let count = 0;
  const type = (changes: Record<string, string>) => {
    for (const [name, value] of Object.entries(changes)) form.set(name, value);
    form.set("kept", `${crypto.randomUUID()} ${form.get("kept")}`.trim());
    count++;
  };
  return {
    form,
    type,
    sent: () => count,
    keep: (changes?: Record<string, string>, headers: Record<string, string> = ORIGIN) => {
      if (changes) type(changes);
      return browser.send(to, { method: "POST", body: form, headers });
    },
    save: (action: string) => send(browser, path, action, form),
  };
}

const statusAndBody = async (answer: Response) => [answer.status, await answer.json()];
const newPost = async ({ api }: Owned, post: Record<string, unknown>) =>
  (await api("POST", "/posts", { post })).body.post as { id: number; updated_at: string };
const openForm = async ({ browser }: Owned, path: string) => {
  const answer = await browser.get(path);
  const page = await answer.text();
  const form = formIn(page);
  return { page, title: form.get("title"), content: form.get("content") };
};
const rows = ({ platen }: Owned) => platen.db.select().from(unsavedPosts).all();

/** A long text whose surrogate pairs are at the boundaries of chunks, for either start. */
const long = (start: string, end: string) =>
  `${start}${"<p>A 🐐 looked at the 🫖.</p>\n\n".repeat(9000)}<p>${"𐎀".repeat(150_000)}</p>\n\n<p>${end}</p>`;

describe("unsaved changes", () => {
  for (const start of ["", "x"])
    test(`of a long text${start && " that begins one character later"} are stored, opened, saved and compared exactly`, async () => {
      const at = await startOwned();
      const { id } = await newPost(at, { title: "Tea", content: long(start, "One") });
      const [mine, theirs] = [await tab(at.browser, pathOf(id)), await tab(at.browser, pathOf(id))];
      expect(await statusAndBody(await mine.keep({}))).toEqual([200, { kept: false }]);
      expect(await statusAndBody(await mine.keep({ content: long(start, "Two") }))).toEqual([
        200,
        { kept: true },
      ]);
      expect((await openForm(at, pathOf(id))).content).toBe(long(start, "Two").replaceAll("\n", "\r\n"));
      expect((await mine.save("save")).status).toBe(303);
      const { content } = (await at.api("GET", `/posts/${id}?include_source=true`)).body.post;
      expect(content.source).toBe(long(start, "Two"));
      theirs.type({ content: long(start, "Three") });
      expect((await theirs.save("save")).status).toBe(409);
      expect((await theirs.keep()).status).toBe(409);
    });

  test("to a live post are stored and invisible to readers until published", async () => {
    const at = await startOwned();
    const { id, updated_at } = await newPost(at, {
      title: "Tea",
      content: "<p>One cup.</p>",
      status: "published",
    });
    const page = async () => (await at.fetch("/tea")).text();
    const { keep, save } = await tab(at.browser, pathOf(id));
    const before = [await page(), dataVersion(at.platen)];
    expect(await statusAndBody(await keep({ content: "<p>Two cups.</p>" }))).toEqual([200, { kept: true }]);
    expect(await statusAndBody(await keep({ title: "More tea" }))).toEqual([200, { kept: true }]);
    expect([await page(), dataVersion(at.platen)]).toEqual(before);
    const { body } = await at.api("GET", `/posts/${id}`);
    expect(body.post).toMatchObject({ title: "Tea", updated_at });
    const count = (table: string) => at.platen.db.$client.query(`SELECT count(*) AS n FROM ${table}`).get();
    expect([count("revisions"), count("events")]).toEqual([{ n: 0 }, { n: 0 }]);

    const opened = await openForm(at, pathOf(id));
    expect(opened).toMatchObject({ title: "More tea", content: "<p>Two cups.</p>" });
    expect(opened.page).toContain('<span class="state draft" data-unsaved>Unpublished changes</span>');
    expect(await (await at.browser.get("/admin/blogs/ada/posts")).text()).toContain("Unpublished changes");

    expect((await save("save")).status).toBe(303);
    expect(await page()).toContain("Two cups.");
    expect((await openForm(at, pathOf(id))).page).toContain("data-unsaved hidden>");
    expect(await (await at.browser.get("/admin/blogs/ada/posts")).text()).not.toContain(
      "Unpublished changes",
    );
  });

  test("to a draft are marked as unsaved, in the editor and in the list", async () => {
    const at = await startOwned();
    const { id } = await newPost(at, { title: "Tea", content: "<p>One cup.</p>" });
    const { keep } = await tab(at.browser, pathOf(id));
    await keep({ content: "<p>Two cups.</p>" });
    const mark = "Unsaved changes</span>";
    expect((await openForm(at, pathOf(id))).page).toContain(mark);
    expect(await (await at.browser.get("/admin/blogs/ada/posts")).text()).toContain(mark);
  });

  test("to a new post are listed on the blog's home in the admin, with their time", async () => {
    const at = await startOwned();
    const { form, keep, save } = await tab(at.browser, NEW);
    expect(await statusAndBody(await keep({}))).toEqual([200, { kept: false }]);
    expect(rows(at).every(({ fields }) => fields === null)).toBe(true);
    expect(await statusAndBody(await keep({ content: "<p>A first sentence.</p>" }))).toEqual([
      200,
      { kept: true },
    ]);
    const address = `${NEW}?unsaved=${form.get("new_post")}`;
    const home = await (await at.browser.get("/admin/blogs/ada")).text();
    expect(home).toContain(`<a class="name" href="${address}">A first sentence.</a>`);
    const again = await tab(at.browser, address);
    expect(again.form.get("content")).toBe("<p>A first sentence.</p>");
    expect(again.form.get("new_post")).toBe(form.get("new_post"));
    expect((await again.save("publish")).status).toBe(303);
    expect(await (await at.browser.get("/admin/blogs/ada")).text()).not.toContain("Unfinished");
    expect((await at.api("GET", "/posts")).body.posts).toHaveLength(1);
    // The first tab's text is not lost, and does not count as saved.
    expect(await statusAndBody(await keep())).toEqual([200, { kept: false }]);
    expect(await statusAndBody(await keep({ content: "<p>Another.</p>" }))).toEqual([200, { kept: true }]);
    expect((await save("save")).status).toBe(303);
  });

  test("can be restored after undo or Discard", async () => {
    const at = await startOwned();
    const { id } = await newPost(at, { title: "Tea", content: "<p>One cup.</p>" });
    const { form, keep } = await tab(at.browser, pathOf(id));
    await keep({ title: "Coffee" });
    expect(await statusAndBody(await keep({ title: "Tea" }))).toEqual([200, { kept: false }]);
    await keep({ title: "Coffee" });
    expect((await openForm(at, pathOf(id))).title).toBe("Coffee");
    const discarded = await at.browser.send(pathOf(id), {
      method: "POST",
      body: fieldsOf({ action: "discard", kept: form.get("kept") as string }),
      headers: ORIGIN,
    });
    expect([discarded.status, discarded.headers.get("location")]).toEqual([303, pathOf(id)]);
    expect((await openForm(at, pathOf(id))).title).toBe("Tea");
    // A request that was under way arrives too late.
    expect(await statusAndBody(await keep())).toEqual([200, { kept: false }]);
    expect((await openForm(at, pathOf(id))).title).toBe("Tea");
  });

  test("have no effect if they arrive twice, out of order or after the save", async () => {
    const at = await startOwned();
    const { id } = await newPost(at, { title: "Tea", content: "<p>One cup.</p>" });
    const one = await tab(at.browser, pathOf(id));
    one.type({ title: "First" });
    const late = copyOf(one.form);
    await one.keep({ title: "Second" });
    const resendOldText = () =>
      at.browser.send(`/admin/blogs/ada/unsaved/${id}`, { method: "POST", body: late, headers: ORIGIN });
    expect(await statusAndBody(await resendOldText())).toEqual([200, { kept: true }]);
    expect((await openForm(at, pathOf(id))).title).toBe("Second");
    expect((await one.save("save")).status).toBe(303);
    expect(await statusAndBody(await resendOldText())).toEqual([200, { kept: false }]);
    expect((await openForm(at, pathOf(id))).title).toBe("Second");
  });
});

describe("two open forms of a post", () => {
  test("report at once that the other has changed the post, and lose neither text", async () => {
    const at = await startOwned();
    const { id } = await newPost(at, { title: "Tea", content: "<p>One cup.</p>", status: "published" });
    const [one, other] = [await tab(at.browser, pathOf(id)), await tab(at.browser, pathOf(id))];
    await one.keep({ content: "<p>Written first.</p>" });
    const message = "This text was changed in another tab or on another device.";
    expect(await statusAndBody(await other.keep({ content: "<p>Written second.</p>" }))).toEqual([
      409,
      { message: message },
    ]);
    for (const action of ["compare", "save"]) {
      const answer = await other.save(action);
      const page = await answer.text();
      expect(answer.status).toBe(409);
      for (const text of [
        "Theirs, not saved yet",
        "Written first.",
        "Written second.",
        "Written <mark>first</mark>.",
        "Written <mark>second</mark>.",
      ])
        expect(page).toContain(text);
    }
    expect((await openForm(at, pathOf(id))).content).toBe("<p>Written first.</p>");
    const both = formIn(await (await other.save("compare")).text());
    expect((await send(at.browser, pathOf(id), "save", both)).status).toBe(303);
    const [status] = await statusAndBody(await one.keep({ content: "<p>Written third.</p>" }));
    expect(status).toBe(409);
    const opened = await openForm(at, pathOf(id));
    expect(opened.page).toContain("A newer version was saved in the meantime");
    expect(opened.content).toBe("<p>Written third.</p>");
    expect(opened.page).toContain("Written second.");
  });

  test("merge as the user chooses; the result is unsaved, and a new conflict asks again", async () => {
    const at = await startOwned();
    const content = "<p>Same.</p>\n<p>One.</p>\n<ul><li>Two.</li></ul>";
    const { id } = await newPost(at, { title: "Tea", content, status: "published" });
    const [one, other] = [await tab(at.browser, pathOf(id)), await tab(at.browser, pathOf(id))];
    await one.keep({
      title: "Their tea",
      content: content.replace("One", "Theirs one").concat("<p>End.</p>"),
    });
    other.type({ content: content.replace("One", "Mine one").replace("Two", "Mine two"), category: "Cups" });
    const form = formIn(await (await other.save("compare")).text());
    const choices = [...form.keys()].filter((name) => name.startsWith("take-"));
    // Title and category, then paragraph, list and end. New blocks of the other form are included.
    expect(choices.map((name) => form.get(name))).toEqual(["mine", "mine", "mine", "mine", "theirs"]);
    // The other tab continues.
    await one.keep({ content: content.replace("One", "Theirs one").replace("Two", "Theirs two") });
    form.set(choices[0] as string, "theirs");
    form.set(choices[2] as string, "both");
    const again = await send(at.browser, pathOf(id), "join", form);
    expect(again.status).toBe(409);
    const second = formIn(await again.text());
    const conflicts = [...second.keys()].filter((name) => name.startsWith("take-"));
    expect(conflicts.map((name) => second.get(name))).toEqual(["theirs", "mine", "both", "mine"]);
    expect((await openForm(at, pathOf(id))).title).toBe("Their tea");

    const before = [await (await at.fetch("/tea")).text(), dataVersion(at.platen)];
    const joined = await send(at.browser, pathOf(id), "join", second);
    expect([joined.status, joined.headers.get("location")]).toEqual([303, pathOf(id)]);
    expect([await (await at.fetch("/tea")).text(), dataVersion(at.platen)]).toEqual(before);
    const opened = await openForm(at, pathOf(id));
    expect(opened.title).toBe("Their tea");
    expect(opened.content?.toString().replace(/\s+/g, " ")).toBe(
      "<p>Same.</p> <p>Mine one.</p> <p>Theirs one.</p> <ul><li>Mine two.</li></ul>",
    );
    expect(opened.page).toContain("Unpublished changes</span>");
    // The other tab is notified too.
    expect((await one.keep({ content: "<p>And on.</p>" })).status).toBe(409);
  });

  test("with long texts are compared in a worker and merged exactly", async () => {
    const at = await startOwned();
    const cups = (changes: Record<number, string>) =>
      Array.from({ length: 20_000 }, (_, cup) => `<p>${changes[cup] ?? `Cup ${cup} of tea.`}</p>\n`).join("");
    const { id } = await newPost(at, { title: "Tea", content: cups({}) });
    const { form, type } = await tab(at.browser, pathOf(id));
    await at.api("PATCH", `/posts/${id}`, {
      post: { content: cups({ 3: "Theirs.", 19990: "Other." }) },
    });
    type({ content: cups({ 3: "Mine.", 10000: "Mine <b>too</b>." }) });
    const { turns, answer } = await countTicks(() => send(at.browser, pathOf(id), "save", form));
    expect([answer.status, turns > 300]).toEqual([409, true]);
    const page = await answer.text();
    for (const shown of ["Passage 3 of 3", "<mark>Theirs</mark>.", "<mark>Other</mark>."])
      expect(page.includes(shown) && shown).toBe(shown);
    const both = formIn(page);
    const choices = [...both.keys()].filter((name) => name.startsWith("take-"));
    for (const [index, choice] of ["both", "mine", "theirs"].entries())
      both.set(choices[index] as string, choice);
    const joining = await countTicks(() => send(at.browser, pathOf(id), "join", both));
    expect([joining.answer.status, joining.turns > 300]).toEqual([303, true]);
    const { content } = await openForm(at, pathOf(id));
    const chosen = { 3: "Mine.</p>\n<p>Theirs.", 10000: "Mine <b>too</b>.", 19990: "Other." };
    expect(content?.toString().replaceAll("\r", "") === cups(chosen)).toBe(true);
  });

  test("delete nothing of the other's changes while both are compared, even by Discard", async () => {
    const at = await startOwned();
    const [one, other] = [await tab(at.browser, NEW), await tab(at.browser, NEW)];
    other.form.set("new_post", one.form.get("new_post") as string);
    await one.keep({ title: "Theirs" });
    const path = `${NEW}?unsaved=${one.form.get("new_post")}`;
    other.type({ title: "Mine", content: "Text.", content_type: "markdown" });
    const form = formIn(await (await other.save("save")).text());
    form.set("title", "Mine, longer");
    form.set("kept", `${crypto.randomUUID()} ${form.get("kept")}`);
    const response = await at.browser.send("/admin/blogs/ada/unsaved/new", {
      method: "POST",
      body: form,
      headers: ORIGIN,
    });
    expect(response.status).toBe(409);
    await send(at.browser, NEW, "discard", form);
    expect((await openForm(at, path)).title).toBe("Theirs");
    // The title has changed since, so there is another question.
    const again = await send(at.browser, NEW, "join", form);
    expect(again.status).toBe(409);
    const joined = await send(at.browser, NEW, "join", formIn(await again.text()));
    expect(joined.headers.get("location")).toBe(path);
    expect((await openForm(at, path)).title).toBe("Mine, longer");
    expect((await openForm(at, path)).content).toBe("Text.");
  });

  test("report at once that an app saved the post, and keep the typed text", async () => {
    const at = await startOwned();
    const { id } = await newPost(at, { title: "Tea", content: "<p>One cup.</p>" });
    const { keep } = await tab(at.browser, pathOf(id));
    await at.api("PATCH", `/posts/${id}`, { post: { content: "<p>By an app.</p>" } });
    expect(await statusAndBody(await keep({ title: "Mine" }))).toEqual([
      409,
      { message: "A newer version was saved in the meantime." },
    ]);
    expect((await openForm(at, pathOf(id))).title).toBe("Mine");
  });
});

test("nothing is stored for signed-out browsers, other sites' forms or other blogs", async () => {
  const at = await startOwned();
  const { id } = await newPost(at, { title: "Tea" });
  const { form, keep } = await tab(at.browser, pathOf(id));
  const to = `/admin/blogs/ada/unsaved/${id}`;
  const statusOf = async (answer: Promise<Response>) => (await answer).status;
  expect(await statusOf(keep({ title: "X" }, { "sec-fetch-site": "cross-site" }))).toBe(403);
  form.set("token", "forged");
  expect(await statusOf(keep({ title: "X" }, {}))).toBe(403);
  expect(await statusOf(at.fetch(to, { method: "POST", body: form, headers: ORIGIN }))).toBe(401);
  const eve = await at.browserOf(at.newAccount("eve@example.com"));
  const statusForEve = (path: string) =>
    statusOf(eve.send(path, { method: "POST", body: form, headers: ORIGIN }));
  expect(await statusForEve(to)).toBe(403);
  const garden = at.newBlog({ slug: "eves" }, at.newAccount("other@example.com"));
  expect(await statusForEve(`/admin/blogs/${garden.slug}/unsaved/new`)).toBe(403);
  expect(await statusForEve("/admin/blogs/nowhere/unsaved/new")).toBe(404);
  at.newBlog({ slug: "second" });
  const statusForOwner = (path: string) =>
    statusOf(at.browser.send(path, { method: "POST", body: form, headers: ORIGIN }));
  expect(await statusForOwner(`/admin/blogs/second/unsaved/${id}`)).toBe(404);
  expect(await statusForOwner("/admin/blogs/ada/unsaved/no-number")).toBe(404);
  form.set("kept", "");
  expect(await statusForOwner(to)).toBe(400);
  expect(rows(at)).toEqual([]);
});

test("unsaved new posts are deleted after 30 days; unsaved changes stay as long as their post", async () => {
  const at = await startOwned();
  const { id } = await newPost(at, { title: "Tea" });
  await (await tab(at.browser, NEW)).keep({ title: "Begun" });
  await (await tab(at.browser, pathOf(id))).keep({ title: "Changed" });
  const expire = () => {
    for (const task of EXPIRY_TASKS) task(at.platen);
  };
  at.pass(29 * DAY);
  expire();
  expect(rows(at)).toHaveLength(2);
  at.pass(2 * DAY);
  expire();
  expect(rows(at).map(({ fields }) => fields?.title)).toEqual(["Changed"]);
  await at.api("DELETE", `/posts/${id}`);
  at.pass(31 * DAY);
  expire();
  // The post's purge continues in batches.
  while (rows(at).length > 0) await yieldToEventLoop();
});

test("unsaved changes are removed with their blog and account, and are in the copy", async () => {
  const at = await startOwned();
  const other = at.newAccount("other@example.com");
  const browser = await at.browserOf(other);
  const garden = at.newBlog({ slug: "garden" }, other);
  const storeUnsavedIn = async (slug: string) =>
    (await tab(browser, `/admin/blogs/${slug}/posts/new`)).keep({ title: slug });
  await storeUnsavedIn("garden");
  await removeBlog(at.platen, garden);
  expect(rows(at)).toEqual([]);
  at.newBlog({ slug: "orchard" }, other);
  expect((await storeUnsavedIn("orchard")).status).toBe(200);
  await removeAccount(at.platen, other);
  expect(rows(at)).toEqual([]);
});

test("a picture that only an unsaved text shows is kept when its post is purged", async () => {
  const at = await startOwned();
  const body = uploadForm(await picture(), "cat.jpg");
  const headers = { authorization: `Bearer ${at.key}` };
  await at.fetch("/api/v1/attachments", { method: "POST", headers, body });
  const { html, url } = (await at.api("GET", "/attachments")).body.attachments[0];
  const { id } = await newPost(at, { title: "Cat", content: html });
  await (await tab(at.browser, NEW)).keep({ content: html });
  await at.api("DELETE", `/posts/${id}`);
  at.pass(29 * DAY);
  await (await tab(at.browser, NEW)).keep({ content: html });
  at.pass(2 * DAY);
  for (const task of EXPIRY_TASKS) task(at.platen);
  expect((await at.fetch(url)).status).toBe(200);
});

function copyOf(form: FormData): FormData {
  const copy = new FormData();
  for (const [name, value] of form) copy.append(name, value);
  return copy;
}

function fieldsOf(fields: Record<string, string>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return form;
}
