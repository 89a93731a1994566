import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { JOB_KINDS } from "../../src/commands/channels-and-job-kinds";
import { jobRunner } from "../../src/jobs/job-runner";
import { startJob } from "../../src/jobs/jobs";
import { mediaFolder } from "../../src/media/files/media-folder";
import { checkJob, sizesJob } from "../../src/upkeep/upkeep-jobs";
import { picture, uploadForm } from "../support/pictures";
import { type Owned, startOwned } from "./owner";

const read = async ({ browser }: Owned, path: string) => (await browser.get(path)).text();
const startCheck = ({ platen, account }: Owned, kind = checkJob) =>
  startJob(platen, kind, { blog: null, account, input: {} });
const REFRESH = '<meta http-equiv="refresh"';

/** An owner with one picture: the folder of the picture, and `work`, which runs jobs. */
async function startWithPicture() {
  const owned = await startOwned();
  const headers = { authorization: `Bearer ${owned.key}` };
  const answer = await owned.fetch("/api/v1/attachments", {
    method: "POST",
    headers,
    body: uploadForm(await picture(), "cat.jpg"),
  });
  const { attachment } = (await answer.json()) as { attachment: { url: string } };
  const folder = attachment.url.split("/").at(-2) as string;
  const runner = jobRunner(owned.platen, JOB_KINDS);
  const runJobs = async () => {
    runner.step();
    await runner.settled();
  };
  return { owned, folder, runner, runJobs };
}

test("a job's page shows that it is pending, reloads without scripts, and then shows the report", async () => {
  const { owned, runJobs } = await startWithPicture();
  startCheck(owned);
  const waiting = await read(owned, "/admin/jobs/1");
  expect(waiting).toContain("Queued");
  expect(waiting).toContain(REFRESH);
  await runJobs();
  const done = await read(owned, "/admin/jobs/1");
  expect(done).toContain("Everything is in order: 0 posts, 1 file.");
  expect(done).not.toContain(REFRESH);
  expect(done).not.toContain("Cancel</button>");
  expect(await read(owned, "/admin/jobs")).toContain("Everything is in order");
});

test("check reports the same problems as the command", async () => {
  const { owned, folder, runJobs } = await startWithPicture();
  rmSync(mediaFolder(owned.platen, folder, "cat.jpg"));
  startCheck(owned);
  await runJobs();
  const done = await read(owned, "/admin/jobs/1");
  expect(done).toContain(", and found problems.");
  expect(done).toContain(`<strong>Error</strong> <span>media/${folder}/cat.jpg is missing.`);
});

test("a job creates missing sizes, and the next check reports none", async () => {
  const { owned, folder, runJobs } = await startWithPicture();
  rmSync(mediaFolder(owned.platen, folder, "sizes"), { recursive: true, force: true });
  startCheck(owned, sizesJob);
  await runJobs();
  expect(await read(owned, "/admin/jobs/1")).toContain(
    "Created missing picture sizes for 1 file. Existing sizes are unchanged",
  );
  startCheck(owned);
  await runJobs();
  expect(await read(owned, "/admin/jobs/2")).not.toContain("lacks smaller sizes");
});

test("Cancel cancels a pending job, which never starts", async () => {
  const { owned, runJobs } = await startWithPicture();
  startCheck(owned);
  const answer = await owned.browser.post("/admin/jobs/1", { do: "cancel" });
  expect(answer.headers.get("location")).toBe("/admin/jobs/1");
  await runJobs();
  const page = await read(owned, "/admin/jobs/1");
  expect(page).toContain('<span class="state ">Cancelled</span>');
  expect(page).not.toContain("Everything is in order");
});

test("jobs are visible to admins, their creator and the blog's owner only", async () => {
  const { owned } = await startWithPicture();
  const eve = owned.newAccount("eve@example.com");
  const stranger = await owned.browserOf(eve);
  startCheck(owned);
  expect((await stranger.get("/admin/jobs/1")).status).toBe(404);
  expect((await stranger.post("/admin/jobs/1", { do: "cancel" })).status).toBe(404);
  expect(await (await stranger.get("/admin/jobs")).text()).toContain("No jobs yet");
  startJob(owned.platen, checkJob, { blog: null, account: eve, input: {} });
  const blog = owned.newBlog({ title: "Eve", slug: "eve" }, eve);
  startJob(owned.platen, checkJob, { blog, account: owned.account, input: {} });
  for (const id of [2, 3]) {
    expect((await stranger.get(`/admin/jobs/${id}`)).status).toBe(200);
    expect((await owned.browser.get(`/admin/jobs/${id}`)).status).toBe(200);
  }
  for (const path of ["/admin/jobs/99", "/admin/jobs/x", "/admin/jobs/1e1"])
    expect((await owned.browser.get(path)).status).toBe(404);
  const forged = { do: "cancel", token: "forged" };
  const foreign = await owned.browser.post("/admin/jobs/1", forged, { "sec-fetch-site": "cross-site" });
  expect(foreign.status).toBe(403);
  expect((await owned.fetch("/admin/jobs/1")).headers.get("location")).toStartWith("/auth/sign-in");
});
