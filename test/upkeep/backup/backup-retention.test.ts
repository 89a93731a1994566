import { expect, test } from "bun:test";
import { parseKeptBackups } from "../../../src/config/config";
import { selectOldBackups } from "../../../src/upkeep/backup/backup-retention";

const DAY = 86_400_000;

/** Noon of a Saturday and of this many days before. */
const daily = (days: number) =>
  Array.from({ length: days }, (_, back) => name(Date.UTC(2026, 10, 21, 12) - back * DAY)).reverse();

const name = (at: number) => new Date(at).toISOString().slice(0, 19).replaceAll(":", "").replace("T", "-");

const keptBackups = (names: string[], keep: string) => {
  const gone = selectOldBackups(names, parseKeptBackups(keep) ?? {});
  return names.filter((name) => !gone.includes(name)).map((name) => name.slice(0, 10));
};

test("7d,4w,12m keeps the newest of seven days, of four weeks from Monday and of twelve months", () => {
  expect(keptBackups(daily(500), "7d,4w,12m")).toEqual([
    ...["2025-12-31", "2026-01-31", "2026-02-28", "2026-03-31", "2026-04-30", "2026-05-31"],
    ...["2026-06-30", "2026-07-31", "2026-08-31", "2026-09-30", "2026-10-31"],
    ...["2026-11-01", "2026-11-08"],
    ...["2026-11-15", "2026-11-16", "2026-11-17", "2026-11-18", "2026-11-19", "2026-11-20", "2026-11-21"],
  ]);
});

test("the last backup of a day is kept, and always the newest", () => {
  const names = ["2026-11-20-080000", "2026-11-20-200000", "2026-11-21-080000", "2026-11-21-200000"];
  expect(selectOldBackups(names, { d: 2 })).toEqual(["2026-11-20-080000", "2026-11-21-080000"]);
  for (const unit of ["d", "w", "m"]) expect(selectOldBackups(names, { [unit]: 1 })).not.toContain(names[3]);
});

test("keeps all periods while there are fewer than the limit", () => {
  for (let days = 1; days <= 7; days++) expect(keptBackups(daily(days), "7d")).toHaveLength(days);
  let pruned: string[] = [];
  for (const name of daily(400)) {
    pruned.push(name);
    const gone = selectOldBackups(pruned, { d: 7, w: 4, m: 12 });
    pruned = pruned.filter((one) => !gone.includes(one));
  }
  expect(pruned.map((name) => name.slice(0, 10))).toEqual(keptBackups(daily(400), "7d,4w,12m"));
});

test("days without a backup do not count", () => {
  const names = ["2025-06-01-120000", "2025-06-02-120000", "2026-11-21-120000"];
  expect(selectOldBackups(names, { d: 3 })).toEqual([]);
});

test.each(["", "7", "7d,7d", "0d", "7y", "-1d", "7d,,4w", "d"])("%p is an invalid list", (text) => {
  expect(parseKeptBackups(text)).toBe(null);
});
