import { expect, test } from "bun:test";
import { revisions } from "../../../src/database/schema";
import { pruneRevisions } from "../../../src/posts/writing/revisions";
import { pressButton } from "../../admin/editor/post-form";
import { upload } from "../../admin/media/files";
import { type Owned, startOwned } from "../../admin/owner";
import { DAY, HOUR, SECOND } from "../../support/platen";

const pathOf = (id: number) => `/admin/blogs/ada/posts/${id}`;

async function posted(at: Owned, post: Record<string, unknown>) {
  const { id } = (await at.api("POST", "/posts", { post })).body.post;
  return {
    id: id as number,
    change: (changes: Record<string, unknown>) => at.api("PATCH", `/posts/${id}`, { post: changes }),
    list: async (query = "") => (await at.browser.get(`${pathOf(id)}/revisions${query}`)).text(),
    restore: (revision: number | string, headers?: Record<string, string>) =>
      at.browser.post(`${pathOf(id)}/revisions`, { revision: String(revision) }, headers),
    now: async () => (await at.api("GET", `/posts/${id}?include_source=true`)).body.post,
  };
}

function prune({ platen }: Owned): void {
  while (pruneRevisions(platen));
}

const storedRevisions = ({ platen }: Owned) => platen.db.select().from(revisions).orderBy(revisions.id).all();

test("the list shows each save with time, author, app and number of changed words", async () => {
  const at = await startOwned();
  const { id, change, list } = await posted(at, { title: "Tea", content: "<p>One cup of tea.</p>" });
  const alone = await list();
  expect(alone).toContain("No revisions yet");
  expect(alone).toContain("by Ada, with API key");
  at.pass(HOUR);
  await change({ content: "<p>Two cups of tea.</p>" });
  at.pass(HOUR);
  await pressButton(at.browser, pathOf(id), "save", { title: "Green tea" });
  const [first, second] = storedRevisions(at);
  const page = await list();
  expect(page).toContain("<span>Now</span><span>saved <time");
  expect(page.match(/<span>by [^<]*<\/span>/g)).toEqual([
    "<span>by Ada</span>",
    "<span>by Ada, with API key</span>",
    "<span>by Ada, with API key</span>",
  ]);
  expect(page).toContain(`${pathOf(id)}/revisions?revision=${second?.id}`);
  const compared = await list(`?revision=${first?.id}`);
  expect(compared).toContain("<del>Green tea</del><ins>Tea</ins>");
  expect(compared).toContain("<del>Two</del><ins>One</ins>");
  expect(compared).toContain("<del>cups</del><ins>cup</ins> of tea.");
  expect(await (await at.browser.get(pathOf(id))).text()).toContain(`href="${pathOf(id)}/revisions"`);
  await pressButton(at.browser, pathOf(id), "share");
  await at.api("PATCH", `/posts/${id}/publish`);
  const posts = "/admin/blogs/ada/posts";
  await at.browser.post(`${posts}/bulk`, { do: "unpublish", id: String(id), next: posts });
  await pressButton(at.browser, pathOf(id), "revoke");
  const listPage = await list();
  expect(listPage.match(/<span>by [^<]*<\/span>/g)?.slice(0, 5)).toEqual([
    "<span>by Ada</span>",
    "<span>by Ada</span>",
    "<span>by Ada, with API key</span>",
    "<span>by Ada</span>",
    "<span>by Ada</span>",
  ]);
  expect([...listPage.matchAll(/<span>([^<]*) <time/g)].map(([, as]) => as)).toEqual([
    "share link revoked",
    "unpublished",
    "published",
    "share link created",
    "saved",
    "saved",
    "saved",
  ]);
});

test("a save that schedules a post is called scheduled, not published", async () => {
  const at = await startOwned();
  const { change, list } = await posted(at, { title: "Tea" });
  const publishAt = new Date(at.platen.now().getTime() + DAY).toISOString();
  await change({ status: "published", published_at: publishAt });
  expect(await list()).toContain("<span>Now</span><span>scheduled <time");
  at.pass(2 * DAY);
  await change({ title: "Green tea" });
  expect([...(await list()).matchAll(/<span>([^<]*) <time/g)].map(([, as]) => as)).toEqual([
    "saved",
    "scheduled",
    "saved",
  ]);
});

test("after pruning, a later save is not called the publishing one", async () => {
  const at = await startOwned();
  const { change, list } = await posted(at, { title: "Tea", content: "<p>One cup.</p>" });
  await change({ title: "Green tea" });
  at.pass(DAY);
  await change({ status: "published" });
  at.pass(HOUR);
  await change({ title: "Black tea" });
  at.pass(DAY);
  await change({ title: "Tea again" });
  const labels = async () => [...(await list()).matchAll(/<span>([^<]*) <time/g)].map(([, as]) => as);
  expect(await labels()).toEqual(["saved", "saved", "published", "saved", "saved"]);
  at.pass(3 * DAY);
  prune(at);
  expect(storedRevisions(at).map(({ fields }) => fields.title)).toEqual(["Tea", "Green tea", "Black tea"]);
  expect(await labels()).toEqual(["saved", "saved", "saved", "saved"]);
});

test("a revision is rendered with changed words and pictures marked", async () => {
  const at = await startOwned();
  const picture = await upload(at, "cup.jpg");
  const content = `<p>Same.</p><p>Far.</p><h2>Hot tea</h2><ul><li>One</li><li>Two</li></ul>${picture}<p>End.</p>`;
  const { change, list } = await posted(at, { content, alt_text: { "cup.jpg": "A <cup>" } });
  await change({
    content: `<p>Same.</p><p>Far.</p><p>Hot tea</p><ol><li>One</li></ol><blockquote><p>Quoted</p></blockquote><pre>a  b</pre><p>End.</p>`,
  });
  const page = await list(`?revision=${storedRevisions(at)[0]?.id}`);
  const [, shown = ""] = page.split('<div class="diff rendered">');
  expect(shown.slice(0, shown.indexOf("</div>")).replace(/data-sgid="[^"]*"|src="[^"]*"/g, "")).toBe(
    '<p class="left-out">…</p><p>Far.</p>' +
      "<p><del>Hot tea</del></p><ol><li><del>One</del></li></ol><blockquote><p><del>Quoted</del></p></blockquote>" +
      "<pre><del>a  b</del></pre><h2><ins>Hot tea</ins></h2><ul><li><ins>One</ins></li><li><ins>Two</ins></li></ul>" +
      '<figure class="attachment attachment-image" ><ins><img  width="64" height="48" alt="A &lt;cup&gt;" loading="lazy" decoding="async"></ins></figure>' +
      "<p>End.</p>",
  );
});

test("a revision that equals the post has no Restore button", async () => {
  const at = await startOwned();
  const { id, change, list } = await posted(at, { title: "Tea", content: "<p>One cup.</p>" });
  const picture = await upload(at, "cup.jpg");
  await change({ content: `<p>One cup.</p>${picture}` });
  await pressButton(at.browser, pathOf(id), "share");
  const shared = await list(`?revision=${storedRevisions(at).at(-1)?.id}`);
  expect(shared).toContain("<p>Nothing. The post is the same as this revision.</p>");
  expect(shared).not.toContain(">Restore</button>");
  await pressButton(at.browser, pathOf(id), "save", { preview_image: "none" });
  const otherPicture = await list(`?revision=${storedRevisions(at).at(-1)?.id}`);
  expect(otherPicture).toContain(
    '<dt>Preview picture</dt><dd class="diff"><del>none</del> <ins>first picture</ins></dd>',
  );
  expect(otherPicture).toContain(">Restore</button>");
});

test("a revision stores the source of the content, not the rendered HTML and text", async () => {
  const at = await startOwned();
  const { id, change, list, restore, now } = await posted(at, { title: "Tea", content: "<p>One cup.</p>" });
  const long = (word: string) => `<p>${word}</p>${"<p>A goat looked at the quay.</p>".repeat(12_000)}`;
  await change({ content: long("Two") });
  await pressButton(at.browser, pathOf(id), "save", { content: long("Three") });
  await pressButton(at.browser, pathOf(id), "save", { title: "Green tea" });
  const sizes = storedRevisions(at).map(({ fields }) => JSON.stringify(fields).length);
  expect(sizes.at(-1)).toBeLessThan(2000);
  expect(Math.max(...sizes)).toBeLessThan(450_000);
  for (const { fields } of storedRevisions(at)) expect(fields).not.toContainAnyKeys(["html", "text"]);
  const [first, second] = storedRevisions(at);
  expect(await list(`?revision=${second?.id}`)).toContain("<p><del>Three</del></p><p><ins>Two</ins></p>");
  await restore(second?.id as number);
  expect((await now()).content.source).toBe(long("Two"));
  await restore(first?.id as number);
  expect((await now()).content.source).toBe("<p>One cup.</p>");
});

test("a long text is compared word by word around its changes; with many changes both texts are shown", async () => {
  const at = await startOwned();
  const lines = Array.from({ length: 9_800 }, (_, line) => `Line ${line} tells of a goat and its herd.`);
  const contentWith = (change: (line: string, at: number) => string) => lines.map(change).join("\n\n");
  const { id, change, list } = await posted(at, {
    title: "Long",
    content: contentWith((line) => line),
    content_type: "markdown",
  });
  const another = contentWith((line, number) => (number === 9000 ? line.replace("goat", "ram") : line));
  await change({ content: another, content_type: "markdown" });
  await change({ content: contentWith((line) => line.replace("goat", "ram")), content_type: "markdown" });
  const [first, second] = storedRevisions(at);
  expect(await list(`?revision=${second?.id}`)).toContain('aria-labelledby="then"');
  await change({ content: another, content_type: "markdown" });
  const compared = await list(`?revision=${first?.id}`);
  expect(compared).toContain("Line 9000 tells of a <del>ram</del><ins>goat</ins> and its herd.");
  expect([compared.match(/<ins>/g)?.length, compared.length < 20_000]).toEqual([1, true]);
  expect((await at.browser.get(pathOf(id))).status).toBe(200);
});

test("texts that are too long to compare are both shown to the owner, and can be restored", async () => {
  const at = await startOwned();
  const long = (word: string) => `<p>A ${word} & <b>its</b> herd.</p>`.repeat(28_000);
  const { id, change, list, restore, now } = await posted(at, { title: "Long", content: long("goat") });
  await change({ content: `${long("goat")}<p>The end.</p>` });
  const [first] = storedRevisions(at);
  expect(await list(`?revision=${first?.id}`)).toContain("<del>The end.</del></p></div>");
  await change({ content: long("ram") });
  const compared = await list(`?revision=${first?.id}`);
  expect(compared.match(/<textarea readonly/g)?.length).toBe(2);
  expect(compared.includes(`\n${Bun.escapeHTML(long("goat"))}</textarea>`)).toBe(true);
  const eve = await at.browserOf(at.newAccount("eve@example.com"));
  expect((await eve.get(`${pathOf(id)}/revisions?revision=${first?.id}`)).status).toBe(403);
  await restore(first?.id as number);
  expect((await now()).content.source === long("goat")).toBe(true);
});

test("a revision shows other changes: alt texts, category, tags and visibility", async () => {
  const at = await startOwned();
  const { change, list } = await posted(at, { title: "Tea", content: "<p>One cup.</p>" });
  const picture = await upload(at, "cup.jpg");
  await change({ content: `<p>One cup.</p>${picture}`, tags: ["a"] });
  await change({
    alt_text: { "cup.jpg": "A <cup>" },
    category: "Drinks",
    tags: ["a", "b"],
    meta: { hidden: true },
  });
  const page = await list(`?revision=${storedRevisions(at).at(-1)?.id}`);
  expect(page).toContain("The text is the same.");
  const changes = [...page.matchAll(/<dt>(.*?)<\/dt><dd class="diff"><del>(.*?)<\/del> <ins>(.*?)<\/ins>/g)];
  expect(changes.map(([, ...words]) => words)).toEqual([
    ["Category", "Drinks", "none"],
    ["Tags", "a, b", "a"],
    ["Not in lists", "yes", "no"],
    ["Alt text of cup.jpg", "A &lt;cup&gt;", "none"],
  ]);
});

test("restoring is a save that can be restored itself; status, time and slug stay", async () => {
  const at = await startOwned();
  const before = {
    title: "Tea",
    content: "**One** cup.",
    content_type: "markdown",
    category: "Drinks",
    tags: ["a"],
  };
  const { change, restore, now } = await posted(at, before);
  await change({ content: "<p>Other.</p>", category: null, tags: [], meta: { hidden: true } });
  await change({ title: "Coffee", slug: "coffee", status: "published" });
  const [first] = storedRevisions(at);
  expect((await restore(first?.id ?? 0)).status).toBe(303);
  const restored = await now();
  expect(restored).toMatchObject({ title: "Tea", slug: "coffee", status: "published", tags: ["a"] });
  expect([restored.content.source, restored.category.name, restored.meta.hidden]).toEqual([
    "**One** cup.",
    "Drinks",
    false,
  ]);
  expect((await restore(storedRevisions(at).at(-1)?.id ?? 0)).status).toBe(303);
  expect(await now()).toMatchObject({
    title: "Coffee",
    content: { source: "<p>Other.</p>" },
    category: null,
    tags: [],
  });
});

test("restoring is rejected for other posts, from other sites and signed out", async () => {
  const at = await startOwned();
  const one = await posted(at, { title: "One" });
  const other = await posted(at, { title: "Other" });
  await other.change({ title: "Changed" });
  const id = storedRevisions(at)[0]?.id ?? 0;
  expect((await one.restore(id)).status).toBe(404);
  expect((await other.restore("x")).status).toBe(404);
  expect((await other.restore(id, { "sec-fetch-site": "cross-site" })).status).toBe(403);
  const signedOut = await at.fetch(`${pathOf(other.id)}/revisions`);
  expect([signedOut.status, signedOut.headers.get("location")]).toEqual([
    303,
    `/auth/sign-in?next=${encodeURIComponent(`${pathOf(other.id)}/revisions`)}`,
  ]);
  const eve = await at.browserOf(at.newAccount("eve@example.com"));
  expect((await eve.get(`${pathOf(other.id)}/revisions`)).status).toBe(403);
  expect((await eve.post(`${pathOf(other.id)}/revisions`, { revision: String(id) })).status).toBe(403);
  expect((await other.now()).title).toBe("Changed");
});

test("large revisions are pruned in batches, and the others keep their content", async () => {
  const at = await startOwned();
  const { id, now } = await posted(at, { title: "Now", content: "<p>Now</p>" });
  const keep = at.platen.db.$client.query(
    "INSERT INTO revisions (post_id, replaced_at, fields) VALUES (?, ?, ?)",
  );
  const sourceOf = (number: number) => `<p>${number} ${"a".repeat(200_000)}</p>`;
  for (let number = 0; number < 40; number++)
    keep.run(
      id,
      at.platen.now().getTime() + number * SECOND,
      // Every fourth save changed the content.
      JSON.stringify({
        title: `${number}`,
        ...(number % 4 === 3 && { source: sourceOf(number), sourceType: "html" }),
      }),
    );
  at.pass(3 * DAY);
  expect(pruneRevisions(at.platen)).toBe(true);
  expect(storedRevisions(at).length).toBeGreaterThan(1);
  prune(at);
  expect(storedRevisions(at)).toMatchObject([{ fields: { title: "39", source: sourceOf(39) } }]);
  expect((await now()).title).toBe("Now");
});

test("of many saves in a day, the newest hundred stay, and before them the last of each hour", async () => {
  const at = await startOwned();
  const { id, change, now } = await posted(at, { title: "0", content: "<p>Text 0</p>" });
  const long = (number: number) => `<p>${number}</p>${"<p>A goat looked at the quay.</p>".repeat(7_000)}`;
  await change({ title: "1", content: long(1) });
  await change({ title: "2", content: long(2) });
  at.pass(HOUR);
  await change({ title: "3" });
  at.pass(HOUR);
  for (let number = 4; number <= 110; number++)
    await change({ title: String(number), ...(number < 6 && { content: long(number) }) });
  const other = await posted(at, { title: "Other", content: "<p>Other</p>" });
  await other.change({ title: "Another" });
  const titles = storedRevisions(at).map(({ fields }) => fields.title);
  const last = Array.from({ length: 100 }, (_, number) => String(number + 10));
  // The last one of the first hour, the only one of the second, and the last one of the third.
  expect(titles).toEqual(["1", "2", "9", ...last, "Other"]);
  const [first] = storedRevisions(at);
  await at.browser.post(`${pathOf(id)}/revisions`, { revision: String(first?.id) });
  expect((await now()).content.source === long(1)).toBe(true);
});

test("a revision keeps its author when the ones before it are pruned on different days", async () => {
  const at = await startOwned();
  const { id, list } = await posted(at, { title: "0" });
  const save = async (app: string, title: string) => {
    const key = at.newKey({ name: app });
    await at.api("PATCH", `/posts/${id}`, { post: { title } }, { authorization: `Bearer ${key}` });
  };
  // Noon of 1 March, noon of the 2nd, then twice on the 3rd.
  await save("First", "1");
  at.pass(DAY);
  await save("Second", "2");
  at.pass(DAY);
  await save("Third", "3");
  at.pass(HOUR);
  await save("Fourth", "4");
  const authors = async () =>
    [...(await list()).matchAll(/(First|Second|Third|Fourth)/g)].map(([app]) => app);
  expect(await authors()).toEqual(["Fourth", "Third", "Second", "First"]);
  at.pass(2 * DAY);
  prune(at);
  expect(storedRevisions(at).map(({ fields }) => fields.title)).toEqual(["0", "1", "3"]);
  at.pass(40 * DAY);
  prune(at);
  expect(storedRevisions(at).map(({ fields }) => fields.title)).toEqual(["3"]);
  const browser = await at.browserOf(at.account);
  const page = await (await browser.get(`${pathOf(id)}/revisions`)).text();
  expect(page.match(/(First|Second|Third|Fourth)/g)).toEqual(["Fourth", "Third"]);
});

test("all revisions of a day stay, then the last of each day, then of each month", async () => {
  const at = await startOwned();
  const { id, change, now, list } = await posted(at, { title: "0", content: "<p>Text 0</p>" });
  // Starts at noon, so that four saves are on one day.
  for (let number = 1; number <= 8; number++) {
    at.pass(6 * HOUR);
    await change(number % 2 ? { title: String(number) } : { content: `<p>Text ${number}</p>` });
  }
  const titles = () => storedRevisions(at).map(({ fields }) => fields.title);
  prune(at);
  expect(titles()).toEqual(["0", "1", "3", "3", "5", "5", "7"]);
  expect(await list(`?revision=${storedRevisions(at)[0]?.id}`)).toContain("Text <del>8</del><ins>0</ins>");
  at.pass(3 * DAY);
  prune(at);
  const daily = storedRevisions(at);
  expect(daily.map(({ replacedAt }) => replacedAt.toISOString().slice(0, 10))).toEqual([
    "2026-03-01",
    "2026-03-02",
    "2026-03-03",
  ]);
  expect((await list()).match(/with API key/g)).toHaveLength(daily.length + 1);
  at.pass(40 * DAY);
  prune(at);
  expect(storedRevisions(at)).toHaveLength(1);
  // The session has expired.
  const browser = await at.browserOf(at.account);
  await browser.post(`${pathOf(id)}/revisions`, { revision: String(storedRevisions(at)[0]?.id) });
  expect(await now()).toMatchObject({ title: "7", content: { source: "<p>Text 6</p>" } });
});

test("a comparison marks new formatting, a new link and a deleted list item in their place", async () => {
  const at = await startOwned();
  const { change, list } = await posted(at, {
    content:
      '<p>One <a href="/a">old</a> cup of tea for all of us.</p><ul><li>One</li><li>Two</li><li>Three</li></ul>',
  });
  await change({
    content:
      '<p>One <a href="/b">old</a> <b>cup</b> of tea for all of us.</p><ul><li>One</li><li>Three</li></ul>',
  });
  const page = await list(`?revision=${storedRevisions(at)[0]?.id}`);
  expect(page).toContain('<a href="/a"><ins>old</ins></a>');
  expect(page).toContain("<ins>cup</ins> of tea for all of us.</p>");
  expect(page).toContain("<li>One</li><li><ins>Two</ins></li><li>Three</li>");
});
