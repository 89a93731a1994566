import { expect, test } from "bun:test";
import { createPlaten } from "../../src/commands/shell/data-folder";
import { readSettings } from "../../src/config/config";
import { closeDatabase, openDatabase } from "../../src/database/open";
import { startJob } from "../../src/jobs/jobs";
import { checkJob } from "../../src/upkeep/upkeep-jobs";
import { callPlaten } from "../support/command";
import { freshFolder, startServer } from "../support/program";
import { until } from "../support/waiting";

test("commands list and cancel jobs; a starting server runs pending jobs and ends interrupted ones", async () => {
  const data = freshFolder();
  const platen = (...args: string[]) => callPlaten([...args, "--data", data]);
  await platen("setup", "--email", "ada@example.com", "--title", "Ada");
  const db = openDatabase(data);
  const on = createPlaten({ ...readSettings({ data }, {}), url: "http://blog.test" }, db);
  for (const blog of [{ id: 1 }, null, null]) startJob(on, checkJob, { blog, account: null, input: {} });
  expect(await platen("job", "cancel", "2")).toMatchObject({ code: 0, stdout: "Job 2 is cancelled.\n" });
  expect(await platen("job", "cancel", "9")).toMatchObject({ code: 1, stderr: "There is no such job.\n" });
  db.$client.run("UPDATE jobs SET state = 'running', done = 3, total = 9 WHERE id = 3");
  const text = (await platen("job", "list")).stdout;
  expect(text).toMatch(/^3 +check +- +running +3\/9/m);
  expect(text).toMatch(/^1 +check +ada +queued/m);
  await using server = await startServer({ data });
  expect(server.stderr()).toBe("");
  const states = async () =>
    JSON.parse((await platen("job", "list", "--json")).stdout).map(
      ({ state, report }: { state: string; report: { message: string } | null }) => [
        state,
        report?.message ?? "",
      ],
    );
  const haveAllEnded = async () =>
    (await states()).every(([state]: [string]) => !/queued|running/.test(state));
  await until(haveAllEnded, "all jobs to end", states);
  expect(await states()).toEqual([
    ["failed", expect.stringContaining("Interrupted")],
    ["cancelled", ""],
    ["done", expect.stringContaining("Everything is in order")],
  ]);
  closeDatabase(db);
});
