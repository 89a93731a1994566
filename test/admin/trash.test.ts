import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { periodicTasks } from "../../src/upkeep/background-tasks";
import { picture, uploadForm } from "../support/pictures";
import { DAY, HOUR } from "../support/platen";
import { passUntilFilesDeleted } from "../support/purged-files";
import { until } from "../support/waiting";
import { type Owned, startOwned } from "./owner";

const TRASH = "/admin/blogs/ada/posts/trash";

const write = async (owned: Owned, post: Record<string, unknown>) =>
  (await owned.api("POST", "/posts", { post })).body.post as { id: number; slug: string };
const remove = (owned: Owned, { id }: { id: number }) => owned.api("DELETE", `/posts/${id}`);
const trash = async (owned: Owned) =>
  (await (await owned.browser.get(TRASH)).text()).replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");

/** Runs the periodic tasks of the server. */
function runPeriodicTasks(owned: Owned): void {
  periodicTasks(owned.platen).step();
}

test("the trash lists deleted posts from all adapters, with their purge date", async () => {
  const owned = await startOwned();
  expect(await trash(owned)).toContain("The trash is empty");
  await remove(owned, await write(owned, { title: "Rain" }));
  owned.pass(DAY);
  await remove(owned, await write(owned, { title: "About", type: "page" }));
  owned.pass(HOUR);
  const page = await trash(owned);
  expect(page).toContain("About Page deleted 1 h ago expires on 1 Apr 2026, 12:00");
  expect(page.indexOf("About Page")).toBeLessThan(page.indexOf("Rain Post"));
});

test("a restored post is unchanged, with another slug if its own is taken", async () => {
  const owned = await startOwned();
  const rain = await write(owned, { title: "Rain", status: "published" });
  await remove(owned, rain);
  await write(owned, { title: "Rain" });
  const answer = await owned.browser.post(TRASH, { id: String(rain.id) });
  expect([answer.status, answer.headers.get("location")]).toEqual([303, TRASH]);
  expect(await trash(owned)).toContain("“Rain” restored.");
  const { slug, status } = (await owned.api("GET", `/posts/${rain.id}`)).body.post;
  expect([slug, status]).toEqual(["rain-2", "published"]);
});

test("restoring is rejected for other blogs' posts, and if one of several posts is not in the trash", async () => {
  const owned = await startOwned();
  const rain = await write(owned, { title: "Rain" });
  await remove(owned, rain);
  const wind = await write(owned, { title: "Wind" });
  owned.newBlog({ slug: "garden" });
  const send = (blog: string, ...id: number[]) =>
    owned.browser.post(`/admin/blogs/${blog}/posts/trash`, { id: id.map(String) });
  expect((await send("garden", rain.id)).status).toBe(404);
  expect((await send("ada", wind.id)).status).toBe(404);
  expect((await send("ada", rain.id, wind.id)).status).toBe(404);
  expect(await trash(owned)).toContain("Rain Post");
});

test("selected posts are deleted permanently after a confirmation that lists what goes with them", async () => {
  const owned = await startOwned();
  const body = uploadForm(await picture(), "rain.jpg");
  const headers = { authorization: `Bearer ${owned.key}` };
  const answer = await owned.fetch("/api/v1/attachments", { method: "POST", headers, body });
  const { attachment } = (await answer.json()) as { attachment: { html: string; url: string } };
  const rain = await write(owned, { title: "Rain", content: attachment.html });
  await owned.api("PATCH", `/posts/${rain.id}`, { post: { title: "Rain again" } });
  const [wind, snow] = [await write(owned, { title: "Wind" }), await write(owned, { title: "Snow" })];
  for (const one of [rain, wind]) await remove(owned, one);
  const id = [rain, wind, snow].map((one) => String(one.id));
  const page = await (await owned.browser.post(`${TRASH}/deletion`, { id })).text();
  expect(page).toContain("Permanently delete 2 posts?");
  expect(page).toContain("Also deleted: 1 revision and 1 file used nowhere else (rain.jpg).");
  expect(await trash(owned)).toContain("Rain again");
  const foreign = await owned.browser.post(
    `${TRASH}/deletion`,
    { id, sure: "yes" },
    { origin: "https://evil.test" },
  );
  expect(foreign.status).toBe(403);
  const done = await owned.browser.post(`${TRASH}/deletion`, { id, sure: "yes" });
  expect([done.status, done.headers.get("location")]).toEqual([303, TRASH]);
  const left = await trash(owned);
  expect(left).toContain("2 posts permanently deleted, with 1 file.");
  expect(left).toContain("The trash is empty");
  expect((await owned.fetch(attachment.url)).status).toBe(404);
  expect((await owned.api("GET", `/posts/${snow.id}`)).status).toBe(200);
});

test("a post is purged after 30 days with the files that only it used", async () => {
  const owned = await startOwned();
  const upload = async (name: string) => {
    const body = uploadForm(await picture(), name);
    const headers = { authorization: `Bearer ${owned.key}` };
    const answer = await owned.fetch("/api/v1/attachments", { method: "POST", headers, body });
    const { attachment } = (await answer.json()) as { attachment: { html: string; url: string } };
    // Wait for renditions that are being made.
    await owned.fetch(new URL("sizes/thumb.webp", attachment.url).href);
    return attachment;
  };
  const isOnDisk = ({ url }: { url: string }) =>
    existsSync(join(owned.platen.config.data, new URL(url).pathname));
  const [own, shared] = [await upload("own.jpg"), await upload("shared.jpg")];
  const former = await upload("former.jpg");
  const rain = await write(owned, { title: "Rain", content: own.html + shared.html + former.html });
  const wind = await write(owned, { title: "Wind", content: shared.html + former.html });
  await owned.api("PATCH", `/posts/${wind.id}`, { post: { content: shared.html } });
  await remove(owned, rain);
  owned.pass(DAY);
  await remove(owned, await write(owned, { title: "Snow" }));
  owned.pass(29 * DAY - HOUR);
  runPeriodicTasks(owned);
  expect(await trash(owned)).toContain("Rain Post");
  owned.pass(HOUR);
  runPeriodicTasks(owned);
  const page = await trash(owned);
  expect(page).not.toContain("Rain Post");
  expect(page).toContain("Snow Post");
  while ((await owned.fetch(own.url)).status !== 404) await Bun.sleep(1);
  const files = (await owned.api("GET", "/attachments")).body.attachments as { filename: string }[];
  expect(files.map(({ filename }) => filename)).toEqual(["former.jpg", "shared.jpg"]);
  const left = ["contents", "attachments", "revisions"].map(
    (table) =>
      owned.platen.db.$client
        .query(`SELECT count(*) AS n FROM ${table} WHERE post_id = ${rain.id}`)
        .get() as {
        n: number;
      },
  );
  expect(left.map(({ n }) => n)).toEqual([0, 0, 0]);
  expect((await owned.browser.post(TRASH, { id: String(rain.id) })).status).toBe(404);
  // A restored revision has its pictures.
  const [{ id }] = owned.platen.db.$client.query("SELECT id FROM revisions").all() as [{ id: number }];
  await owned.browser.post(`/admin/blogs/ada/posts/${wind.id}/revisions`, { revision: String(id) });
  const { body } = await owned.api("GET", `/posts/${wind.id}`);
  expect(body.post.attachments).toHaveLength(2);
  passUntilFilesDeleted(owned);
  expect([own, shared, former].map(isOnDisk)).toEqual([false, true, true]);
});

test("all deleted posts are purged after 30 days, however many there are", async () => {
  const owned = await startOwned();
  for (let number = 0; number < 45; number++) await remove(owned, await write(owned, { title: `${number}` }));
  owned.pass(30 * DAY);
  const tasks = periodicTasks(owned.platen);
  tasks.step();
  const postsLeft = () =>
    owned.platen.db.$client.query<{ n: number }, []>("SELECT count(*) AS n FROM posts").get()?.n;
  await until(() => postsLeft() === 0, "the trash to be empty", postsLeft);
  await tasks.stop();
});

test("a post that is restored while its many komments are being purged stays", async () => {
  const owned = await startOwned();
  const rain = await write(owned, { title: "Rain" });
  owned.platen.db.$client.run(
    `INSERT INTO komments (blog_id, post_id, name, address, source, html, status, edit_hash, created_at)
     SELECT 1, ${rain.id}, 'Eve', '', 'x', 'x', 'shown', key, 1 FROM json_each(?)`,
    [JSON.stringify(Array(3000).fill(0))],
  );
  await remove(owned, rain);
  const purge = owned.browser.post(`${TRASH}/deletion`, { id: String(rain.id), sure: "yes" });
  const restore = owned.browser.post(TRASH, { id: String(rain.id) });
  expect((await restore).status).toBe(303);
  await purge;
  expect((await owned.api("GET", `/posts/${rain.id}`)).body.post.title).toBe("Rain");
});
