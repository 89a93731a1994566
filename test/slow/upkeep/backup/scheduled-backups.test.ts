import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, watch, writeFileSync } from "node:fs";
import { BACKUP_NAME } from "../../../../src/upkeep/backup/backup-contents";
import { scheduledBackups } from "../../../../src/upkeep/backup/backup-schedule";
import { AS_MONITOR, MONITOR } from "../../../support/monitor";
import { DAY, HOUR, MINUTE, START, startPlaten } from "../../../support/platen";
import { freshFolder, runPlaten, startServer } from "../../../support/program";

function startWithSchedule(to = freshFolder()) {
  const at = startPlaten({ ...MONITOR, backup: { to, every: DAY, keep: "7d" } });
  // Backups are made by a process that uses the real clock.
  at.pass(Date.now() - START.getTime());
  const backups = scheduledBackups(at.platen);
  return {
    ...at,
    to,
    async stepped() {
      backups.step();
      await backups.settled();
    },
    state: async () =>
      (await (await at.fetch("/readyz?full", AS_MONITOR)).text())
        .trimEnd()
        .split("\n")
        .filter((line) => line.startsWith("backup")),
  };
}

test("a server makes a backup if there is none, and daily; /readyz?full reports its age", async () => {
  const at = startWithSchedule();
  expect(await at.state()).toEqual(["backup: none yet"]);
  await at.stepped();
  expect(readdirSync(at.to)).toHaveLength(1);
  at.pass(5 * HOUR + 20 * MINUTE);
  expect(await at.state()).toEqual([expect.stringMatching(/^backup: 5 h old \(20\S+Z, \S+\)$/)]);
  expect(at.log).toEqual([]);
  await at.stepped();
  expect(readdirSync(at.to)).toHaveLength(1);
  const before = readdirSync(at.to);
  at.pass(DAY);
  await at.stepped();
  // Of two on one day, the older one is deleted.
  expect(readdirSync(at.to)).not.toEqual(before);
});

test("a failed backup is reported and repeated after an hour", async () => {
  const file = freshFolder();
  writeFileSync(file, "no folder");
  const at = startWithSchedule(`${file}/backups`);
  await at.stepped();
  const fault = expect.stringContaining("a part of its path is a file");
  expect(at.log).toEqual([fault, "The backup will be retried in an hour."]);
  expect(await at.state()).toEqual(["backup: none yet", fault]);
  at.pass(HOUR - 1);
  await at.stepped();
  expect(at.log).toHaveLength(2);
  at.pass(1);
  await at.stepped();
  expect(at.log).toHaveLength(4);
});

test("if the disk of the backups is not mounted, no folder is created in its place", async () => {
  const at = startWithSchedule();
  await at.stepped();
  const away = `${at.to}-unmounted`;
  renameSync(at.to, away);
  at.pass(DAY + MINUTE);
  await at.stepped();
  expect(existsSync(at.to)).toBe(false);
  expect((await at.state()).at(-1)).toContain(`${at.to} is missing or empty`);
  mkdirSync(at.to);
  at.pass(HOUR);
  await at.stepped();
  expect(readdirSync(at.to)).toEqual([]);
  rmSync(at.to, { recursive: true });
  renameSync(away, at.to);
  at.pass(HOUR);
  await at.stepped();
  expect(await at.state()).toEqual([expect.stringContaining("backup: ")]);
});

test("manual backups count; without a schedule none are made", async () => {
  const at = startWithSchedule();
  await runPlaten(["backup", at.to, "--data", at.platen.config.data]);
  const made = readdirSync(at.to);
  at.pass(HOUR);
  await at.stepped();
  expect(readdirSync(at.to)).toEqual(made);

  const other = startPlaten(MONITOR);
  scheduledBackups(other.platen).step();
  expect(await (await other.fetch("/readyz?full", AS_MONITOR)).text()).not.toContain("backup");
});

test("a running server makes backups by itself", async () => {
  const to = freshFolder();
  mkdirSync(to);
  const made = Promise.withResolvers<void>();
  const watching = watch(to, () => {
    if (readdirSync(to).some((name) => BACKUP_NAME.test(name))) made.resolve();
  });
  await using server = await startServer({ env: { PLATEN_BACKUP: to } });
  await made.promise;
  watching.close();
  expect(await server.stop()).toBe(0);
});

test("a stopping server does not wait for its backup", async () => {
  const at = startWithSchedule();
  const backups = scheduledBackups(at.platen);
  backups.step();
  await backups.stop();
  backups.step();
  expect(await at.state()).toEqual(["backup: none yet"]);
  expect(at.log).toEqual([]);
  await at.stepped();
  expect(readdirSync(at.to)).toHaveLength(1);
});

test("invalid schedule settings are named and stop the start", async () => {
  const data = freshFolder();
  for (const [name, value, told] of [
    ["PLATEN_BACKUP", "ftp://host/x", "it must be a folder or a URL like s3://bucket/blog."],
    ["PLATEN_BACKUP", "s3:///x", "it must be a folder or a URL like s3://bucket/blog."],
    ["PLATEN_BACKUP_EVERY", "daily", "it must be one duration like 1d or 6h."],
    ["PLATEN_BACKUP_KEEP", "all", "it must be numbers of days, weeks and months like 7d,4w,12m."],
  ] as const)
    expect(await runPlaten(["serve", "--port", "0", "--data", data], { env: { [name]: value } })).toEqual({
      code: 2,
      stdout: "",
      stderr: `${name} is "${value}"; ${told}\n`,
    });
});
