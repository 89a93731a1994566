import { expect, test } from "bun:test";
import { configureBlog } from "../../src/blogs/blog-settings";
import { CHANNELS } from "../../src/commands/channels-and-job-kinds";
import { deliveryLoop } from "../../src/deliveries/delivery-loop";
import { deleteKomment, holdKomment, refuseKomment } from "../../src/komments/moderation";
import { mediaTotalsOf } from "../../src/media/files/blobs";
import { guardedClient } from "../../src/outgoing/guarded-client";
import { periodicTasks } from "../../src/upkeep/background-tasks";
import { saveLastBackup } from "../../src/upkeep/backup/backup-schedule";
import { addWebhook, pauseWebhook } from "../../src/webhooks/webhook-urls";
import { post as newPost, write } from "../komments/forms";
import { picture, uploadForm } from "../support/pictures";
import { DAY, MINUTE } from "../support/platen";
import { receiver } from "../support/receiver";
import { type Owned, startOwned } from "./owner";

const HOME = "/admin/blogs/ada";
const STATISTICS = `${HOME}/statistics`;
const READER = { "user-agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0" };
const read = async ({ browser }: Owned, path = HOME) => (await browser.get(path)).text();

/** Labels of a chart's bars, and rows of the table below it. */
function figure(page: string, id: string) {
  const [, drawing = "", table = ""] =
    new RegExp(`<title id="${id}-title">(.*?)</svg>.*?<tbody>(.*?)</tbody>`, "s").exec(page) ?? [];
  const bars = [...drawing.matchAll(/height="([\d.]+)"><title>(.*?): ([\d,]+) \w+<\/title>/g)].map(
    ([, height, label, count]) => ({ height: Number(height), label, count }),
  );
  const rows = [...table.matchAll(/<th scope="row">(.*?)<\/th><td>(.*?)<\/td>/g)].map(([, label, count]) => ({
    label,
    count,
  }));
  return { bars, rows };
}

async function startWithReadings() {
  const owned = await startOwned();
  const create = (title: string, more = {}) =>
    owned.api("POST", "/posts", { post: { title, status: "published", ...more } });
  await create("Tea");
  await create("Coffee", { published_at: "2026-01-15T09:00:00Z" });
  const tasks = periodicTasks(owned.platen);
  tasks.step();
  const visit = async (path: string, times: number, referer?: string) => {
    for (let time = 0; time < times; time++)
      await owned.fetch(path, { headers: { ...READER, ...(referer && { referer }) } });
    owned.pass(MINUTE);
    tasks.step();
  };
  await visit("/tea", 3, "https://news.example.org/");
  await visit("/coffee", 1);
  owned.pass(DAY);
  await visit("/tea", 5);
  return { owned, create };
}

test("the bars of each chart match the table below it", async () => {
  const { owned } = await startWithReadings();
  await write(owned);
  const page = await read(owned, STATISTICS);
  for (const [id, number] of [
    ["by-day", 30],
    ["by-month", 12],
    ["komments-by-month", 12],
  ] as const) {
    const { bars, rows } = figure(page, id);
    expect(bars).toHaveLength(number);
    expect(bars.map(({ label, count }) => ({ label, count }))).toEqual(rows);
    const most = Math.max(...bars.map(({ count }) => Number(count)));
    for (const { height, count } of bars) expect(height).toBeCloseTo((100 * Number(count)) / most, 1);
  }
  expect(figure(page, "by-day").rows.slice(-2)).toEqual([
    { label: "1 Mar 2026", count: "4" },
    { label: "2 Mar 2026", count: "5" },
  ]);
  expect(figure(await read(owned, `${STATISTICS}?days=90`), "by-day").rows).toHaveLength(90);
  expect(figure(await read(owned, `${STATISTICS}?days=x`), "by-day").rows).toHaveLength(30);
});

test("lists most viewed posts and referrers, without posts in the trash", async () => {
  const { owned } = await startWithReadings();
  const ranks = async () =>
    [
      ...(await read(owned, STATISTICS)).matchAll(
        /<tr><th scope="row">(?:<a href="[^"]+">)?([^<\n]+)[\s\S]*?<\/th><td>(\d+)<\/td>/g,
      ),
    ]
      .map(([, name, count]) => `${name} ${count}`)
      .filter((row) => /^(Tea|Coffee|news)/.test(row));
  expect(await ranks()).toEqual(["Tea 8", "Coffee 1", "news.example.org 3"]);
  await owned.api("DELETE", "/posts/1");
  expect(await ranks()).toEqual(["Coffee 1", "news.example.org 3"]);
});

test("posts per month are correct after publishing, moving, unpublishing, deleting and restoring", async () => {
  const { owned, create } = await startWithReadings();
  const months = async () => {
    const rows = figure(await read(owned, STATISTICS), "by-month").rows.filter(({ count }) => count !== "0");
    return Object.fromEntries(rows.map(({ label, count }) => [label, count]));
  };
  expect(await months()).toEqual({ "Jan 2026": "1", "Mar 2026": "1" });
  await create("Later this month", { published_at: "2026-03-20T09:00:00Z" });
  await create("A page", { type: "page" });
  await create("A draft", { status: "draft" });
  expect(await months()).toEqual({ "Jan 2026": "1", "Mar 2026": "1" });
  await owned.api("PATCH", "/posts/2", { post: { published_at: "2026-02-10T09:00:00Z" } });
  expect(await months()).toEqual({ "Feb 2026": "1", "Mar 2026": "1" });
  await owned.api("PATCH", "/posts/1/unpublish");
  expect(await months()).toEqual({ "Feb 2026": "1" });
  await owned.api("PATCH", "/posts/1/publish");
  await owned.api("DELETE", "/posts/2");
  expect(await months()).toEqual({ "Mar 2026": "1" });
});

test("komments per month are correct after komments are added, rejected, restored and deleted", async () => {
  const owned = await startOwned();
  const months = async () => {
    const rows = figure(await read(owned, STATISTICS), "komments-by-month").rows.filter(
      ({ count }) => count !== "0",
    );
    return Object.fromEntries(rows.map(({ label, count }) => [label, count]));
  };
  await newPost(owned);
  await write(owned);
  owned.pass(31 * DAY);
  // The session has expired.
  owned.browser = await owned.browserOf(owned.account);
  await write(owned, { text: "Another" });
  await write(owned, { text: "And one more" });
  expect(await months()).toEqual({ "Mar 2026": "1", "Apr 2026": "2" });
  refuseKomment(owned.platen, 3);
  expect(await months()).toEqual({ "Mar 2026": "1", "Apr 2026": "1" });
  holdKomment(owned.platen, 3);
  deleteKomment(owned.platen, 1);
  expect(await months()).toEqual({ "Apr 2026": "2" });
  owned.platen.db.$client.run("DELETE FROM posts");
  expect(await months()).toEqual({});
});

test("Home shows pending komments and unread messages; Statistics shows the size of files", async () => {
  const owned = await startOwned();
  expect(await read(owned)).not.toContain("Needs you");
  await newPost(owned);
  await write(owned, { name: "<Grace>" });
  const page = await read(owned);
  expect(page).toContain('href="/admin/blogs/ada/komments">1 pending komment</a>');
  expect(page).toContain("from &lt;Grace&gt;");
  const headers = { authorization: `Bearer ${owned.key}` };
  const bytes = await picture();
  const sent = { method: "POST", headers, body: uploadForm(bytes, "cat.jpg") };
  await owned.fetch("/api/v1/attachments", sent);
  const { files, bytes: weight } = mediaTotalsOf(owned.platen, owned.blog);
  expect(files).toBe(1);
  expect(weight).toBe(
    owned.platen.db.$client.query<{ size: number }, []>("SELECT byte_size AS size FROM blobs").get()
      ?.size as number,
  );
  expect(await read(owned, STATISTICS)).toContain(">1 file</a>");
  owned.platen.db.$client.run("DELETE FROM blobs");
  expect(mediaTotalsOf(owned.platen, owned.blog)).toEqual({ files: 0, bytes: 0 });
});

test("Home lists webhooks that fail, are blocked or are off, and no others", async () => {
  const owned = await startOwned();
  const { platen, blog, api } = owned;
  Object.assign(platen.config, { privateHosts: ["127.0.0.1"] });
  const [works, fails, isGone] = [204, 500, 410].map((status) =>
    receiver(() => new Response(null, { status })),
  );
  const paused = "https://paused.example/";
  for (const url of [works?.url, paused]) addWebhook(platen, blog, url as string);
  pauseWebhook(platen, blog, paused);
  const deliver = async () => {
    await api("POST", "/posts", { post: { title: "Tea", status: "published" } });
    await deliveryLoop(platen, CHANNELS, guardedClient(platen.config)).step();
  };
  await deliver();
  expect(await read(owned)).not.toContain("webhook problem");
  addWebhook(platen, blog, fails?.url as string);
  await deliver();
  expect(await read(owned)).toContain(">1 webhook problem</a>");
  expect(await read(owned)).toContain(`${new URL(fails?.url as string).host} is failing`);
  addWebhook(platen, blog, isGone?.url as string);
  addWebhook(platen, blog, "http://10.0.0.1/hook");
  await deliver();
  expect(await read(owned)).toContain(">3 webhook problems</a>");
});

test("a new blog has no empty charts, and offers an import", async () => {
  const owned = await startOwned();
  const page = await read(owned, STATISTICS);
  expect(page).toContain("Last 30 days: <strong>0 views</strong>");
  expect(page).not.toContain('class="plot"');
  expect(await read(owned)).toContain(`href="${HOME}/transfer"`);
  await owned.api("POST", "/posts", { post: { title: "One", status: "published" } });
  expect((await read(owned, STATISTICS)).split('class="plot"').length - 1).toBe(1);
});

test("first steps are shown one by one, and the list disappears when all are done", async () => {
  const owned = await startOwned();
  const remainingSteps = async () =>
    [
      ...(await read(owned)).matchAll(
        /<li><span class="mark" aria-hidden="true"><\/span><a href="[^"]+">(.*?)<\/a>/g,
      ),
    ].map(([, words]) => words);
  expect(await remainingSteps()).toEqual([
    "Publish your first post",
    "Add a one-line description",
    "Add a page about yourself",
    "Turn on backups",
  ]);
  await owned.api("POST", "/posts", { post: { title: "One", status: "published" } });
  configureBlog(owned.platen, owned.blog, { description: "Of tea." });
  expect(await remainingSteps()).toEqual(["Add a page about yourself", "Turn on backups"]);
  await owned.api("POST", "/posts", { post: { title: "About", type: "page", status: "published" } });
  saveLastBackup(owned.platen, { at: owned.platen.now(), place: "/backups" });
  expect(await read(owned)).not.toContain("First steps");
});

test("only the blog's owner can hide the list, for this blog only", async () => {
  const owned = await startOwned();
  owned.newBlog({ title: "Garden", slug: "garden" });
  const stranger = await owned.browserOf(owned.newAccount("eve@example.com"));
  expect((await stranger.post(HOME, { do: "put-away" })).status).toBe(403);
  expect((await owned.browser.post(HOME, { do: "nonsense" })).status).toBe(400);
  expect(await read(owned)).toContain("First steps");
  await owned.browser.post(HOME, { do: "put-away" });
  expect(await read(owned)).not.toContain("First steps");
  expect(await read(owned, "/admin/blogs/garden")).toContain("First steps");
});
