import { expect, test } from "bun:test";
import { join } from "node:path";
import { JOB_KINDS } from "../../src/commands/channels-and-job-kinds";
import { settings } from "../../src/database/schema";
import { jobRunner } from "../../src/jobs/job-runner";
import { listJobs } from "../../src/jobs/jobs";
import { byteWords } from "../../src/text/numbers";
import { periodicTasks } from "../../src/upkeep/background-tasks";
import { version } from "../../src/version";
import { temporaryFolder } from "../support/temporary";
import { type Owned, startOwned } from "./owner";

const read = async ({ browser }: Owned, path: string) => (await browser.get(path)).text();

test("About shows version, settings, sizes, WAL and snapshot, and hides secrets", async () => {
  const owned = await startOwned();
  const tasks = periodicTasks(owned.platen);
  tasks.step();
  const before = process.env.S3_SECRET_ACCESS_KEY;
  process.env.S3_SECRET_ACCESS_KEY = "very-secret";
  Object.assign(owned.platen.config, {
    purge: { url: "https://cdn.test/purge?key=very-secret", header: null },
  });
  owned.platen.db
    .insert(settings)
    .values({ name: "purge_failing", value: '{"since":"2026-11-01T00:00:00.000Z","why":"it answered 503"}' })
    .run();
  const page = (await read(owned, "/admin/about")).replaceAll("<wbr>", "");
  if (before === undefined) delete process.env.S3_SECRET_ACCESS_KEY;
  else process.env.S3_SECRET_ACCESS_KEY = before;
  expect(page).toMatch(/Database<[^>]*>\s*<[^>]*>[\d.,]+.\w+, including [\d.,]+.\w+ of WAL</);
  await tasks.stop();
  expect(page).toContain(`<th scope="row">Platen</th><td>${version}</td>`);
  expect(page).toContain('<th scope="row">PLATEN_URL</th><td>http://blog.test</td>');
  expect(page).toContain('<th scope="row">PLATEN_FORWARDED_HOST</th><td>on</td>');
  expect(page).toContain('<th scope="row">PLATEN_WEBHOOK_RETRY</th><td>5s, 5m, 30m,');
  expect(page).toMatch(/<th scope="row">WAL<\/th><td>\d+ MB of at most/);
  expect(page).toContain('<th scope="row">Snapshot</th><td>none yet</td>');
  expect(page).toContain('<th scope="row">AWS_SECRET_ACCESS_KEY</th><td>set (hidden)</td>');
  expect(page).toContain('<th scope="row">PLATEN_PURGE_URL</th><td>https://cdn.test/purge?…</td>');
  expect(page).toContain('<th scope="row">Purge failed</th><td>it answered 503 (since 2026-11-01T00');
  expect(page).not.toContain("very-secret");
});

test("the button of About starts one check and opens its page", async () => {
  const owned = await startOwned();
  for (let times = 0; times < 2; times++) {
    const answer = await owned.browser.post("/admin/about", { do: "check" });
    expect(answer.headers.get("location")).toBe("/admin/jobs/1");
  }
  const runner = jobRunner(owned.platen, JOB_KINDS);
  runner.step();
  expect(await read(owned, "/admin/about")).toContain('<a href="/admin/jobs/1">Full check</a>');
  await runner.settled();
  expect(await read(owned, "/admin/jobs/1")).toContain("Everything is in order");
  expect(await read(owned, "/admin/about")).toContain("Nothing is running.");
});

test("the Backups page lists backups, makes a backup and makes a snapshot", async () => {
  const owned = await startOwned();
  const { platen } = owned;
  const empty = await read(owned, "/admin/backups");
  expect(empty).toContain("No snapshot yet. The server makes one every night.");
  expect(empty).not.toContain("Back up now");
  const to = temporaryFolder("backups");
  Object.assign(platen.config, { backup: { to, every: 1, keep: "7d" } });
  const runner = jobRunner(platen, JOB_KINDS);
  for (const kind of ["snapshot", "backup"]) await owned.browser.post("/admin/backups", { do: kind });
  runner.step();
  await runner.settled();
  const { jobs } = listJobs(platen, { page: 1, limit: 9 });
  expect(jobs.map(({ state, report }) => [state, report?.message])).toEqual([
    ["done", expect.stringContaining("contains 0 media files")],
    ["done", "Snapshot saved to snapshot.db."],
  ]);
  const page = await read(owned, "/admin/backups");
  expect(page).not.toContain("none yet");
  expect(page).toMatch(/<li><code>\d{4}-\d\d-\d\d-\d{6}<\/code><\/li>/);
});

test("Backups shows a message if the destination cannot be read", async () => {
  const owned = await startOwned();
  const to = join(owned.platen.config.data, "platen.db");
  Object.assign(owned.platen.config, { backup: { to, every: 1, keep: "7d" } });
  const answer = await owned.browser.get("/admin/backups");
  expect(answer.status).toBe(200);
});

test("only admins see these pages and links to them", async () => {
  const owned = await startOwned();
  const author = await owned.browserOf(owned.newAccount("eve@example.com"));
  for (const path of ["/admin/about", "/admin/backups"]) {
    expect((await author.get(path)).status).toBe(403);
    expect((await author.post(path, { do: "check" })).status).toBe(403);
    expect((await owned.browser.post(path, { do: "toString" })).status).toBe(400);
    expect(
      (await owned.browser.post(path, { do: "check", token: "forged" }, { "sec-fetch-site": "cross-site" }))
        .status,
    ).toBe(403);
    expect(await (await author.get("/admin")).text()).not.toContain(`href="${path}"`);
    expect(await read(owned, "/admin/jobs")).toContain(`href="${path}"`);
  }
  expect(listJobs(owned.platen, { page: 1, limit: 9 }).total).toBe(0);
});

test("sizes have the unit in the right number", () => {
  expect([0, 1, 1023, 1024, 1_572_864].map(byteWords)).toEqual([
    "0 bytes",
    "1 byte",
    "1,023 bytes",
    "1 kB",
    "1.5 MB",
  ]);
});
