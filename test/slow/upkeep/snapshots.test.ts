import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { addAccount } from "../../../src/accounts/accounts";
import { findDamageInFile } from "../../../src/database/verified-copy";
import { storeUnsaved } from "../../../src/posts/unsaved-posts";
import { isTimeForSnapshot, nightlySnapshots } from "../../../src/upkeep/recovery/snapshots";
import { AS_MONITOR, MONITOR } from "../../support/monitor";
import { DAY, HOUR, MINUTE, START, startPlaten } from "../../support/platen";
import { runPlaten, setUpBlog } from "../../support/program";

const MOMENTS: [string, Date, number, boolean][] = [
  ["at night, a day after the last: yes", localTime(3, 20), DAY, true],
  ["twice in a night: no", localTime(3, 40), 20 * MINUTE, false],
  ["during the day: no", localTime(12, 0), DAY, false],
  ["during the day, two days after the last: yes", localTime(12, 0), 2 * DAY, true],
];

test.each(MOMENTS)("is a snapshot due %s", (_, at, age, due) => {
  expect(isTimeForSnapshot(at, new Date(at.getTime() - age))).toBe(due);
});

test("simultaneous snapshots wait for each other, and each is intact", async () => {
  const { data } = await setUpBlog();
  const db = new Database(join(data, "platen.db"));
  // Large enough that each snapshot takes a while.
  db.run("CREATE TABLE filling AS SELECT randomblob(40000000) AS bytes");
  db.close();
  const made = await Promise.all([1, 2, 3, 4].map(() => runPlaten(["snapshot", "--data", data])));
  const file = join(data, "snapshot.db");
  expect(made).toEqual(made.map(() => ({ code: 0, stdout: `${file}\n`, stderr: "" })));
  expect(findDamageInFile(file)).toBe(null);
  expect(readdirSync(data)).not.toContain(".snapshot.db");
});

test("a snapshot is made each night with changes, and logged", async () => {
  const { platen, pass, fetch } = startPlaten(MONITOR);
  const file = join(platen.config.data, "snapshot.db");
  const making = nightlySnapshots(platen);
  const nights = async () => {
    making.step();
    await making.settled();
    return existsSync(file) ? statSync(file).ino : null;
  };
  expect(await nights()).toBe(null);
  expect(await (await fetch("/readyz?full", AS_MONITOR)).text()).toBe("ready\nsnapshot: none yet\n");

  pass(millisecondsUntilNight());
  const first = await nights();
  expect(first).not.toBe(null);
  expect(await (await fetch("/readyz?full", AS_MONITOR)).text()).toBe(
    `ready\nsnapshot: ${platen.now().toISOString()}\n`,
  );
  expect(await (await fetch("/readyz")).text()).toBe("ready\n");
  pass(DAY);
  expect(await nights()).toBe(first);
  addAccount(platen, { email: "grace@example.com" });
  pass(DAY);
  await nights();
  pass(DAY);
  await runPlaten(["snapshot", "--data", platen.config.data]);
  making.step();
  expect(await (await fetch("/readyz?full", AS_MONITOR)).text()).toContain(platen.now().toISOString());
  using db = new Database(file, { readonly: true });
  expect(db.query("SELECT count(*) AS n FROM accounts").get()).toEqual({ n: 2 });
});

test("unsaved changes count as changes for the nightly snapshot", async () => {
  const { platen, account, blog, pass } = startPlaten();
  const making = nightlySnapshots(platen);
  const night = async () => {
    making.step();
    await making.settled();
  };
  pass(millisecondsUntilNight());
  await night();
  const place = { accountId: account.id, blogId: blog.id, postKey: "new" };
  storeUnsaved(platen, place, { fields: JSON.stringify({ title: "Not yet" }), version: "", stamps: ["1"] });
  pass(DAY);
  await night();
  using db = new Database(join(platen.config.data, "snapshot.db"), { readonly: true });
  expect(db.query("SELECT count(*) AS n FROM unsaved_posts").get()).toEqual({ n: 1 });
});

test("a snapshot made by command is one intact file, readable by its owner only", async () => {
  const { data } = await setUpBlog();
  const file = join(data, "snapshot.db");
  expect(await runPlaten(["snapshot", "--data", data])).toEqual({ code: 0, stdout: `${file}\n`, stderr: "" });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(data).filter((name) => name.includes("snapshot"))).toEqual(["snapshot.db"]);
  using db = new Database(file, { readonly: true });
  expect(db.query("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
  expect(db.query("SELECT email FROM accounts").all()).toEqual([{ email: "ada@example.com" }]);
});

function localTime(hour: number, minute: number): Date {
  return new Date(2026, 2, 2, hour, minute);
}

/** Milliseconds from START to half past three at night, more than half a day later. */
function millisecondsUntilNight(): number {
  const at = new Date(START);
  at.setDate(at.getDate() + 1);
  at.setHours(3, 30, 0, 0);
  return at.getTime() - START.getTime() < 12 * HOUR
    ? at.getTime() - START.getTime() + DAY
    : at.getTime() - START.getTime();
}
