import { expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { listBlogs } from "../../src/blogs/blogs";
import { JOB_KINDS } from "../../src/commands/channels-and-job-kinds";
import { jobRunner } from "../../src/jobs/job-runner";
import { listUnfinishedJobs, startJob } from "../../src/jobs/jobs";
import { removalJob } from "../../src/upkeep/removal/unfinished-removals";
import { startOwned } from "./owner";

const PAGE = "/admin/blogs/garden/settings/removal";

/** An admin with a home blog, and a second blog with a post. */
async function startWithTwo() {
  const owned = await startOwned();
  const garden = owned.newBlog({ title: "Garden", slug: "garden" });
  const post = { title: "Beans", status: "published" };
  await owned.api("POST", "/posts", { blog_id: garden.id, post });
  const runner = jobRunner(owned.platen, JOB_KINDS);
  return {
    ...owned,
    garden,
    read: async (path: string) => (await owned.browser.get(path)).text(),
    slugs: () => listBlogs(owned.platen).map(({ slug }) => slug),
    copies: () => {
      const folder = join(owned.platen.config.data, "removed");
      return existsSync(folder) ? readdirSync(folder) : [];
    },
    async work() {
      runner.step();
      await runner.settled();
    },
  };
}

test("a job removes a blog after a confirmation page, keeps a copy and logs who did it", async () => {
  const at = await startWithTwo();
  expect(await at.read("/admin/blogs/garden/settings")).toContain(`href="${PAGE}"`);
  expect(await at.read(PAGE)).toContain("<span>1 post</span>");
  const sent = await at.browser.post(PAGE, { slug: " garden " });
  const again = await at.browser.post(PAGE, { slug: "garden" });
  const job = sent.headers.get("location") as string;
  expect([sent.status, job, again.headers.get("location")]).toEqual([303, "/admin/jobs/1", job]);
  expect((await at.fetch("/@garden/beans")).status).toBe(200);
  await at.work();
  const page = await at.read(job);
  expect(page).toContain("Removal of Garden");
  expect(page).toContain('<a class="button" href="/admin">Continue</a>');
  expect((await at.browser.get("/admin")).headers.get("location")).toBe("/admin/blogs/ada");
  expect(page).toMatch(/Removed; a copy is in [^<]*\/removed\/[\d-]{17}-blog-garden</);
  expect([at.slugs(), at.copies().length]).toEqual([["ada"], 1]);
  expect((await at.fetch("/@garden/beans")).status).toBe(404);
  expect((await at.api("GET", "/info")).body.blogs).toHaveLength(1);
  expect(await at.read("/admin/people/log")).toMatch(/Began to remove a blog[\s\S]{0,80}by ada@example.com/);
});

test("removes nothing if the typed name differs, and reports it at the field", async () => {
  const at = await startWithTwo();
  for (const slug of ["", "Garden!", "ada"]) {
    const answer = await at.browser.post(PAGE, { slug });
    expect([slug, answer.status]).toEqual([slug, 422]);
    expect(await answer.text()).toContain("Slug of the blog must be garden.");
  }
  expect([listUnfinishedJobs(at.platen), at.slugs()]).toEqual([[], ["ada", "garden"]]);
});

test("the home blog cannot be removed, and only admins can remove blogs", async () => {
  const at = await startWithTwo();
  const home = PAGE.replace("garden", "ada");
  expect(await at.read("/admin/blogs/ada/settings")).not.toContain("settings/removal");
  const eve = at.newAccount("eve@example.com");
  at.newBlog({ title: "Eve's", slug: "eves" }, eve);
  const author = await at.browserOf(eve);
  const own = PAGE.replace("garden", "eves");
  expect(await (await author.get("/admin/blogs/eves/settings")).text()).not.toContain("settings/removal");
  for (const [browser, path, slug, status] of [
    [at.browser, home, "ada", 409],
    [author, own, "eves", 403],
    [author, PAGE, "garden", 403],
  ] as const) {
    expect((await browser.get(path)).status).toBe(status);
    expect((await browser.post(path, { slug })).status).toBe(status);
  }
  const strange = { origin: "https://evil.example" };
  expect((await at.browser.post(PAGE, { slug: "garden" }, strange)).status).toBe(403);
  expect([listUnfinishedJobs(at.platen), at.slugs().length]).toEqual([[], 3]);
});

test("a removal that was finished when the server stopped is reported", async () => {
  const at = await startWithTwo();
  const startRemoval = () =>
    startJob(at.platen, removalJob, {
      blog: null,
      account: at.account,
      input: { blog: at.garden.id, title: "Garden" },
    });
  startRemoval();
  await at.work();
  startRemoval();
  await at.work();
  expect(await at.read("/admin/jobs/2")).toContain("Removed. A copy is in the folder removed/");
  expect(at.copies()).toHaveLength(1);
});
