import { expect, test } from "bun:test";
import { readdirSync, readFileSync, rmSync, utimesSync } from "node:fs";
import { getPriority } from "node:os";
import { join } from "node:path";
import { JOB_KINDS } from "../../src/commands/channels-and-job-kinds";
import { jobRunner } from "../../src/jobs/job-runner";
import { listJobs } from "../../src/jobs/jobs";
import { EXPIRY_TASKS } from "../../src/upkeep/background-tasks";
import { startOwned } from "./owner";

const DAY = 24 * 60 * 60 * 1000;
const PAGE = "/admin/blogs/ada/transfer";

async function startExporting() {
  const owned = await startOwned();
  const { browser, platen } = owned;
  const runner = jobRunner(platen, JOB_KINDS);
  return {
    ...owned,
    read: async (path: string) => (await browser.get(path)).text(),
    async exportAs(format: string) {
      const sent = await browser.post(`${PAGE}/exports`, { format });
      runner.step();
      await runner.settled();
      return sent;
    },
    folder: join(platen.config.data, "exports"),
  };
}

test("exports a blog as a job; only the owner can download it, for a week", async () => {
  const at = await startExporting();
  await at.api("POST", "/posts", { post: { title: "Tea", content: "<p>Green</p>", status: "draft" } });
  expect(await at.read(PAGE)).toContain('<button class="quiet">Export</button>');
  for (const format of ["markdown", "platen", "wordpress", "bar"]) {
    const sent = await at.exportAs(format);
    const [ended] = listJobs(at.platen, { page: 1, limit: 1 }).jobs;
    expect([ended?.state, ended?.done]).toEqual(["done", ended?.total]);
    const job = await at.read(sent.headers.get("location") as string);
    expect(job).toContain(
      `Contains ${format === "bar" ? "the settings" : "1 post"}. Download the file within a week.`,
    );
    const [, link = ""] = /href="(\/admin\/blogs\/ada\/transfer\/exports\/[0-9a-f]{32})"/.exec(job) ?? [];
    const file = await at.browser.get(link);
    expect(file.headers.get("content-type")).toBe("application/zip");
    expect(file.headers.get("content-disposition")).toMatch(
      /^attachment; filename="ada-\w+-[\d-]{10}\.(?:zip|bar)"$/,
    );
    expect((await file.bytes()).subarray(0, 4)).toEqual(new Uint8Array(Buffer.from("PK\x03\x04")));
    const downloaded = await at.fetch(link);
    expect([downloaded.status, downloaded.headers.get("location")?.split("?")[0]]).toEqual([
      303,
      "/auth/sign-in",
    ]);
  }
  const [blog = ""] = readdirSync(at.folder);
  const [old = "", ...fresh] = readdirSync(join(at.folder, blog));
  const weekAgo = new Date(Date.now() - 7 * DAY - 1000);
  utimesSync(join(at.folder, blog, old), weekAgo, weekAgo);
  for (const task of EXPIRY_TASKS) await task(at.platen);
  expect(readdirSync(join(at.folder, blog))).toEqual(fresh);
});

test.skipIf(process.platform !== "linux")(
  "an export is written by a separate process with low CPU priority, which the kernel ends before the server",
  async () => {
    const at = await startExporting();
    for (const format of ["platen", "static"]) {
      let [priority, score] = [0, ""];
      await exportUntilProcessSeen(at, format, (pid) => {
        priority = getPriority(pid);
        score = readFileSync(`/proc/${pid}/oom_score_adj`, "latin1").trim();
      });
      expect([format, priority, score]).toEqual([format, 19, "500"]);
    }
  },
);

test.skipIf(process.platform !== "linux")(
  "an export whose process is killed reports it, and leaves no file",
  async () => {
    const at = await startExporting();
    for (const [signal, says] of [
      ["SIGKILL", "ended by SIGKILL; the system may be out of memory. Try again."],
      ["SIGTERM", "ended by SIGTERM. Try again."],
    ] as const) {
      let job: string;
      do {
        rmSync(at.folder, { recursive: true, force: true });
        const sent = await exportUntilProcessSeen(at, "static", (pid) => process.kill(pid, signal));
        job = await at.read(sent.headers.get("location") as string);
        // The export ended before it was killed.
      } while (job.includes("Download the file within a week"));
      expect(job).toContain(`The command was ${says}`);
      const [blog = ""] = readdirSync(at.folder);
      expect(readdirSync(join(at.folder, blog))).toEqual([]);
    }
  },
);

/** Exports until the process was seen: on a busy machine it may end earlier. @returns the response */
async function exportUntilProcessSeen(
  at: Awaited<ReturnType<typeof startExporting>>,
  format: string,
  see: (pid: number) => void,
): Promise<Response> {
  const startExport = () =>
    readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, "latin1").trim().split(" ");
  for (;;) {
    const exported = at.exportAs(format);
    let [isOver, isSeen] = [false, false];
    exported.finally(() => {
      isOver = true;
    });
    while (!isOver && !isSeen) {
      for (const pid of startExport())
        try {
          const words = readFileSync(`/proc/${pid}/cmdline`, "latin1").split("\0");
          if (words[words.indexOf("export") + 1] !== format) continue;
          see(Number(pid));
          isSeen = true;
        } catch {
          // The job has ended.
        }
      await new Promise(setImmediate);
    }
    const sent = await exported;
    if (isSeen) return sent;
  }
}

test("an unknown format, and another account's export, are rejected", async () => {
  const at = await startExporting();
  expect((await at.exportAs("word")).status).toBe(422);
  expect((await at.browser.get(`${PAGE}/exports/${"0".repeat(32)}`)).status).toBe(404);
  expect((await at.browser.get(`${PAGE}/exports/..%2f..%2fplaten.db`)).status).toBe(404);
});
