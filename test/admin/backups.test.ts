import { expect, test } from "bun:test";
import { chmodSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { JOB_KINDS } from "../../src/commands/channels-and-job-kinds";
import { jobRunner } from "../../src/jobs/job-runner";
import { listJobs } from "../../src/jobs/jobs";
import { saveLastBackup, scheduledBackups } from "../../src/upkeep/backup/backup-schedule";
import { diagnose } from "../../src/upkeep/doctor";
import { DAY, START } from "../support/platen";
import { temporaryFolder } from "../support/temporary";
import { startOwned } from "./owner";

const schedule = (to: string) => ({ do: "save", to, every: "1d", keep: "7d,4w" });

test("an admin sets destination, schedule and retention; a backup is made at once and then on schedule", async () => {
  const owned = await startOwned();
  const { platen, browser } = owned;
  const to = join(temporaryFolder("backups"), "new", "folder");
  const saved = await browser.post("/admin/backups", schedule(to));
  expect(saved.headers.get("location")).toBe("/admin/jobs/1");
  const backups = scheduledBackups(platen);
  backups.step();
  await backups.settled();
  expect(readdirSync(to)).toEqual([]);
  const runner = jobRunner(platen, JOB_KINDS);
  runner.step();
  await runner.settled();
  expect(listJobs(platen, { page: 1, limit: 1 }).jobs[0]?.report?.message).toContain(
    "contains 0 media files",
  );
  const page = await (await browser.get("/admin/backups")).text();
  for (const shown of [
    `value="${to}"`,
    '<option value="1d" selected>Every day',
    'value="7d,4w"',
    "Back up now",
  ])
    expect(page).toContain(shown);
  expect(page).toMatch(/<li><code>\d{4}-\d\d-\d\d-\d{6}<\/code><\/li>/);
  expect(await (await browser.get("/admin/account/log")).text()).toContain("Changed backups");
  // Backups are made by a process that uses the real clock.
  owned.pass(Date.now() - START.getTime());
  const [first] = readdirSync(to);
  owned.pass(DAY + 1000);
  backups.step();
  await backups.settled();
  expect(readdirSync(to).includes(first as string) && readdirSync(to).length === 1).toBe(false);
  // The session has expired.
  const later = await owned.browserOf(owned.account);
  await later.post("/admin/backups", schedule(""));
  expect(await (await later.get("/admin/backups")).text()).not.toContain("Back up now");
  owned.pass(2 * DAY);
  const before = readdirSync(to);
  backups.step();
  await backups.settled();
  expect(readdirSync(to)).toEqual(before);
});

test("a schedule that cannot work is rejected at its field and changes nothing", async () => {
  const owned = await startOwned();
  const locked = temporaryFolder("locked");
  chmodSync(locked, 0o500);
  const wrong: [Record<string, string>, string][] = [
    [schedule("backups"), "Destination must be an absolute path"],
    [schedule("ftp://x"), "Destination must be a folder like"],
    [schedule(join(owned.platen.config.data, "media")), "Destination must be outside the data folder"],
    [schedule(join(owned.platen.config.data, "platen.db", "x")), "Destination must be"],
    [{ ...schedule(locked), keep: "some" }, "Keep must be numbers of days"],
    [{ ...schedule(locked), every: "often" }, "Schedule must be a duration"],
  ];
  for (const [form, says] of wrong) {
    const answer = await owned.browser.post("/admin/backups", form);
    expect([answer.status, await answer.text()]).toEqual([422, expect.stringContaining(says)]);
  }
  expect(await (await owned.browser.get("/admin/backups")).text()).not.toContain("Back up now");
});

test("environment variables take precedence and are shown instead of the form", async () => {
  const owned = await startOwned();
  const to = temporaryFolder("backups");
  await owned.browser.post("/admin/backups", schedule(to));
  Object.assign(owned.platen.config, { backup: { to: "/mnt/usb", every: DAY, keep: "7d" } });
  const page = (await (await owned.browser.get("/admin/backups")).text()).replaceAll("<wbr>", "");
  expect(page).toContain('<th scope="row">PLATEN_BACKUP</th><td>/mnt/usb</td>');
  expect(page).not.toContain('name="to"');
});

test("platen doctor reports a backup that is older than two intervals of the admin's schedule", async () => {
  const owned = await startOwned();
  const to = temporaryFolder("backups");
  await owned.browser.post("/admin/backups", schedule(to));
  saveLastBackup(owned.platen, { at: owned.platen.now(), place: to });
  const stateAfter = async (days: number) => {
    owned.pass(days * DAY);
    return (await diagnose(owned.platen)).find(({ about }) => about === "backup")?.state;
  };
  expect([await stateAfter(2), await stateAfter(1)]).toEqual(["ok", "error"]);
});

test("changing backups needs the password again after ten minutes", async () => {
  const owned = await startOwned();
  owned.pass(11 * 60_000);
  const answer = await owned.browser.post("/admin/backups", schedule(temporaryFolder("backups")));
  expect([answer.status, await answer.text()]).toEqual([
    422,
    expect.stringContaining("Your password is required"),
  ]);
});
