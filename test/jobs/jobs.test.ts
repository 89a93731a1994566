import { describe, expect, test } from "bun:test";
import { dataVersion } from "../../src/database/change-counter";
import { invalid } from "../../src/errors";
import { jobRunner } from "../../src/jobs/job-runner";
import {
  cancelJob,
  deleteOldJobs,
  findJob,
  type JobKind,
  type JobTask,
  listJobs,
  MAX_REPORT_LENGTH,
  startJob,
} from "../../src/jobs/jobs";
import { lockDatabase } from "../support/other-program";
import { DAY, SECOND, startPlaten, type TestPlaten } from "../support/platen";

/** A kind of job whose work the test does step by step. */
function steppedKind(name: string, more: Partial<JobKind<{ word: string }>> = {}) {
  const tasks: JobTask<{ word: string }>[] = [];
  const ends: PromiseWithResolvers<{ message: string }>[] = [];
  const kind: JobKind<{ word: string }> = {
    name,
    title: ({ word }) => `Saying ${word}`,
    isResumable: false,
    run: (_, task) => {
      tasks.push(task);
      const end = Promise.withResolvers<{ message: string }>();
      task.signal.addEventListener("abort", () => end.reject(task.signal.reason));
      ends.push(end);
      return end.promise;
    },
    ...more,
  };
  return { kind, tasks, ends };
}

const startSteppedJob = ({ platen, account }: TestPlaten, kind: JobKind<{ word: string }>, word = "hello") =>
  startJob(platen, kind, { blog: null, account, input: { word } });

describe("a job", () => {
  test("is queued, runs, shows its progress, and leaves a report", async () => {
    const at = startPlaten();
    const { kind, tasks, ends } = steppedKind("say");
    const runner = jobRunner(at.platen, [kind]);
    const id = startSteppedJob(at, kind);
    expect(findJob(at.platen, id)).toMatchObject({ state: "queued", title: "Saying hello" });
    runner.step();
    expect(tasks[0]?.input).toEqual({ word: "hello" });
    await tasks[0]?.reportProgress({ done: 3, total: 10, doing: "Saying it" });
    expect(findJob(at.platen, id)).toMatchObject({
      state: "running",
      done: 3,
      total: 10,
      doing: "Saying it",
    });
    ends[0]?.resolve({ message: "All is said." });
    await runner.settled();
    const ended = findJob(at.platen, id);
    expect(ended).toMatchObject({ state: "done", done: 3, doing: "", endedAt: at.platen.now() });
    expect(ended?.report?.message).toBe("All is said.");
    runner.step();
    expect(tasks).toHaveLength(1);
  });

  test("continues while another program writes, and records its end afterwards", async () => {
    const at = startPlaten();
    const { kind, tasks, ends } = steppedKind("say");
    const runner = jobRunner(at.platen, [kind]);
    const id = startSteppedJob(at, kind);
    runner.step();
    {
      using _lock = lockDatabase(at.platen.config.data);
      await tasks[0]?.reportProgress({ done: 3, total: 10 });
      ends[0]?.resolve({ message: "All is said." });
      await at.fetch("/livez");
      expect(findJob(at.platen, id)).toMatchObject({ state: "running", done: 0 });
    }
    await runner.settled();
    expect(findJob(at.platen, id)).toMatchObject({ state: "done", done: 3 });
    expect(at.log).toEqual([]);
  });

  test("writes its progress at most twice a second, and clears no cached pages", async () => {
    const at = startPlaten();
    const { kind, tasks, ends } = steppedKind("say");
    const runner = jobRunner(at.platen, [kind]);
    const before = dataVersion(at.platen);
    const id = startSteppedJob(at, kind);
    runner.step();
    await tasks[0]?.reportProgress({ done: 1 });
    await tasks[0]?.reportProgress({ done: 2 });
    expect(findJob(at.platen, id)?.done).toBe(1);
    at.pass(SECOND / 2);
    await tasks[0]?.reportProgress({ done: 3 });
    expect(findJob(at.platen, id)?.done).toBe(3);
    await tasks[0]?.reportProgress({ done: 4 });
    ends[0]?.resolve({ message: "Said." });
    await runner.settled();
    expect(findJob(at.platen, id)?.done).toBe(4);
    expect(dataVersion(at.platen)).toBe(before);
  });

  test("yields to other work at each step", async () => {
    const at = startPlaten();
    let turns = 0;
    const kind: JobKind<{ word: string }> = {
      ...steppedKind("say").kind,
      async run(_, { reportProgress }) {
        for (let step = 0; step < 5; step++) await reportProgress({ done: step });
        return { message: `${turns}` };
      },
    };
    const runner = jobRunner(at.platen, [kind]);
    const id = startSteppedJob(at, kind);
    const count = () => {
      turns++;
      if (turns < 4) setImmediate(count);
    };
    setImmediate(count);
    runner.step();
    await runner.settled();
    expect(findJob(at.platen, id)?.report?.message).toBe("4");
  });

  test("runs alone among its kind, and two jobs run in all", () => {
    const at = startPlaten();
    const [one, two, three] = [steppedKind("one"), steppedKind("two"), steppedKind("three")];
    const runner = jobRunner(at.platen, [one.kind, two.kind, three.kind]);
    for (const { kind } of [one, one, two, three]) startSteppedJob(at, kind);
    runner.step();
    expect([one, two, three].map(({ tasks }) => tasks.length)).toEqual([1, 1, 0]);
    expect(listJobs(at.platen, { page: 1, limit: 10 }).jobs.map(({ state }) => state)).toEqual([
      "queued",
      "running",
      "queued",
      "running",
    ]);
  });

  test("is cancelled before it starts, or at its next step, and keeps its messages", async () => {
    const at = startPlaten();
    const { kind, tasks } = steppedKind("say");
    const runner = jobRunner(at.platen, [kind]);
    const [first, second] = [startSteppedJob(at, kind), startSteppedJob(at, kind)];
    expect(cancelJob(at.platen, second)).toBe("cancelled");
    runner.step();
    await tasks[0]?.reportProgress({ report: { message: "Half of it." } });
    expect(cancelJob(at.platen, first)).toBe("running");
    runner.step();
    expect(tasks[0]?.reportProgress({})).rejects.toThrow();
    await runner.settled();
    runner.step();
    expect(tasks).toHaveLength(1);
    expect(findJob(at.platen, first)).toMatchObject({
      state: "cancelled",
      report: { message: "Half of it." },
    });
    expect(cancelJob(at.platen, first)).toBe("cancelled");
    expect(() => cancelJob(at.platen, 99)).toThrow("There is no such job.");
  });

  test("that fails shows its message, or refers to the log", async () => {
    const at = startPlaten();
    const { kind, ends } = steppedKind("say");
    const runner = jobRunner(at.platen, [kind]);
    const ids = [startSteppedJob(at, kind), startSteppedJob(at, kind)];
    runner.step();
    ends[0]?.reject(invalid({ word: ["is not nice"] }));
    await runner.settled();
    runner.step();
    ends[1]?.reject(new Error("Oops"));
    await runner.settled();
    const messages = ids.map((id) => findJob(at.platen, id)?.report?.message);
    expect(messages).toEqual(["word is not nice.", "Something went wrong. See the server's log."]);
    expect(at.log.join()).toContain("Oops");
  });

  test("is marked as interrupted by a restart, and resumes if it can", async () => {
    const at = startPlaten();
    const [plain, resumable] = [steppedKind("plain"), steppedKind("resumable", { isResumable: true })];
    const kinds = [plain.kind, resumable.kind];
    const ids = [startSteppedJob(at, plain.kind), startSteppedJob(at, resumable.kind)];
    const crashed = jobRunner(at.platen, kinds);
    crashed.step();
    resumable.tasks[0]?.saveBookmark({ page: 7 });
    // The process is gone; another runner finds the rows.
    const next = jobRunner(at.platen, kinds);
    next.step();
    expect(findJob(at.platen, ids[0] as number)).toMatchObject({ state: "failed" });
    expect(findJob(at.platen, ids[0] as number)?.report?.message).toStartWith("Interrupted");
    next.step();
    expect(resumable.tasks[1]?.bookmark).toEqual({ page: 7 });
    await next.stop();
    expect(findJob(at.platen, ids[1] as number)?.state).toBe("queued");
  });

  test("of an unknown kind fails and blocks no other", () => {
    const at = startPlaten();
    const [gone, known] = [steppedKind("gone"), steppedKind("known")];
    const id = startSteppedJob(at, gone.kind);
    startSteppedJob(at, known.kind);
    jobRunner(at.platen, [known.kind]).step();
    expect(findJob(at.platen, id)?.state).toBe("failed");
    expect(known.tasks).toHaveLength(1);
  });

  test("ends when its blog is removed", async () => {
    const at = startPlaten();
    const { kind, tasks } = steppedKind("say");
    const runner = jobRunner(at.platen, [kind]);
    const blog = at.newBlog({ slug: "garden" });
    startJob(at.platen, kind, { blog, account: at.account, input: { word: "hello" } });
    runner.step();
    at.platen.db.$client.run("DELETE FROM blogs WHERE id = ?", [blog.id]);
    runner.step();
    await runner.settled();
    expect(tasks[0]?.signal.aborted).toBe(true);
  });

  test("has a report of limited size that counts omitted lines, and is deleted after 90 days", async () => {
    const at = startPlaten();
    const { kind } = steppedKind("say");
    const lines = Array.from({ length: 5000 }, () => ({ weight: "note" as const, text: "x".repeat(2000) }));
    const long = { ...kind, run: async () => ({ message: "Much.", lines }) };
    const runner = jobRunner(at.platen, [long]);
    const id = startSteppedJob(at, kind);
    runner.step();
    await runner.settled();
    const report = findJob(at.platen, id)?.report;
    expect(JSON.stringify(report).length).toBeLessThan(MAX_REPORT_LENGTH + 100);
    expect((report?.lines?.length ?? 0) + (report?.leftOff ?? 0)).toBe(5000);
    startSteppedJob(at, kind);
    at.pass(90 * DAY);
    deleteOldJobs(at.platen);
    expect(listJobs(at.platen, { page: 1, limit: 10 }).total).toBe(2);
    at.pass(1);
    deleteOldJobs(at.platen);
    expect(listJobs(at.platen, { page: 1, limit: 10 }).jobs.map(({ state }) => state)).toEqual(["queued"]);
  });

  test("keeps every line of its report, but shortens lists that are too long", async () => {
    const at = startPlaten();
    const { kind } = steppedKind("say");
    const each = Array.from({ length: 1000 }, () => "x".repeat(125));
    const lines = ["These:", "And these:"].map((text) => ({
      weight: "note" as const,
      text,
      each,
      total: 1000,
    }));
    const runner = jobRunner(at.platen, [{ ...kind, run: async () => ({ message: "Much.", lines }) }]);
    const id = startSteppedJob(at, kind);
    runner.step();
    await runner.settled();
    const report = findJob(at.platen, id)?.report;
    expect(report?.lines?.map(({ text }) => text)).toEqual(["These:", "And these:"]);
    expect(JSON.stringify(report).length).toBeLessThan(MAX_REPORT_LENGTH + 100);
  });
});
