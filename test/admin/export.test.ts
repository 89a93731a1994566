import { expect, test } from "bun:test";
import { readdirSync, readFileSync, utimesSync } from "node:fs";
import { getPriority } from "node:os";
import { join } from "node:path";
import { JOB_KINDS } from "../../src/commands/jobs/job-kinds";
import { jobRunner } from "../../src/jobs/job-runner";
import { jobsOf } from "../../src/jobs/jobs-in-order";
import { DELETE_EXPIRED } from "../../src/upkeep/deleting-expired";
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

test("a blog is exported by its owner as a job, downloaded by nobody else, and gone after a week", async () => {
  const at = await startExporting();
  await at.api("POST", "/posts", { post: { title: "Tea", content: "<p>Green</p>", status: "draft" } });
  expect(await at.read(PAGE)).toContain('<button class="primary">Export</button>');
  for (const format of ["markdown", "platen", "wordpress", "bar"]) {
    const sent = await at.exportAs(format);
    expect(jobsOf(at.platen, { page: 1, limit: 1 }).jobs).toMatchObject([{ done: 100_000, total: 100_000 }]);
    const job = await at.read(sent.headers.get("location") as string);
    expect(job).toContain(
      `In it: ${format === "bar" ? "the settings" : "1 post"}. It can be downloaded for a week.`,
    );
    const [, link = ""] = /href="(\/admin\/blogs\/ada\/transfer\/exports\/[0-9a-f]{32})"/.exec(job) ?? [];
    const file = await at.browser.get(link);
    expect(file.headers.get("content-type")).toBe("application/zip");
    expect(file.headers.get("content-disposition")).toMatch(
      /^attachment; filename="ada-\w+-[\d-]{10}\.(?:zip|bar)"$/,
    );
    expect((await file.bytes()).subarray(0, 4)).toEqual(new Uint8Array(Buffer.from("PK\x03\x04")));
    const asked = await at.fetch(link);
    expect([asked.status, asked.headers.get("location")?.split("?")[0]]).toEqual([303, "/auth/sign-in"]);
  }
  const [blog = ""] = readdirSync(at.folder);
  const [old = "", ...fresh] = readdirSync(join(at.folder, blog));
  const weekAgo = new Date(Date.now() - 7 * DAY - 1000);
  utimesSync(join(at.folder, blog, old), weekAgo, weekAgo);
  for (const task of DELETE_EXPIRED) await task(at.platen);
  expect(readdirSync(join(at.folder, blog))).toEqual(fresh);
});

test.skipIf(process.platform !== "linux")(
  "an export is written by a process of its own, which waits for whoever else wants the processor",
  async () => {
    const at = await startExporting();
    const begun = (): string[] =>
      readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, "latin1").trim().split(" ");
    for (const format of ["platen", "static"]) {
      let seen = 0;
      // On a busy machine one may be over before it is seen.
      while (seen === 0) {
        const exported = at.exportAs(format);
        let isOver = false;
        exported.finally(() => {
          isOver = true;
        });
        while (!isOver && seen === 0) {
          for (const pid of begun()) {
            const { words, priority } = commandOf(pid);
            if (words[words.indexOf("export") + 1] === format) seen = priority;
          }
          await new Promise(setImmediate);
        }
        await exported;
      }
      expect([format, seen]).toEqual([format, 19]);
    }
  },
);

/** As it was typed; nothing where it has ended. */
function commandOf(pid: string): { words: string[]; priority: number } {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, "latin1").split("\0");
    return { words, priority: getPriority(Number(pid)) };
  } catch {
    return { words: [], priority: 0 };
  }
}

test("a format that is none, and another's export, are refused", async () => {
  const at = await startExporting();
  expect((await at.exportAs("word")).status).toBe(422);
  expect((await at.browser.get(`${PAGE}/exports/${"0".repeat(32)}`)).status).toBe(404);
  expect((await at.browser.get(`${PAGE}/exports/..%2f..%2fplaten.db`)).status).toBe(404);
});
