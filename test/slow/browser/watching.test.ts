import { expect } from "bun:test";
import { join } from "node:path";
import { jobRunner } from "../../../src/jobs/job-runner";
import { lastDays } from "../../../src/posts/view-counts";
import { periodicTasks } from "../../../src/upkeep/background-tasks";
import { checkJob } from "../../../src/upkeep/upkeep-jobs";
import { signInWith } from "../../support/admin-tab";
import { forDocs, inBrowser, openBrowser, tab } from "../../support/browser-tab";
import { faultsIn } from "../../support/page-faults";
import { DAY, SECOND } from "../../support/platen";
import { openShowcase } from "../../support/showcase";
import { CHECKOUT } from "../../support/source";

const DESKTOP = { width: 1280, height: 900, isDark: false };
const PHONE = { width: 390, height: 844, isDark: false };
openBrowser("dashboard and jobs");

const press = (words: string) =>
  `[...document.querySelectorAll("main button")].find((button) => button.textContent === "${words}").click()`;

/** A check that reports progress and pauses before it begins, because the real one is done too soon. */
function checkWithPause() {
  const pause = Promise.withResolvers<void>();
  const kind: typeof checkJob = {
    ...checkJob,
    async run(platen, task) {
      await task.reportProgress({ done: 4, total: 8, doing: "Reading files: 4 of 8" });
      await pause.promise;
      return await checkJob.run(platen, task);
    },
  };
  return { kind, goOn: pause.resolve };
}

inBrowser("a button starts the check, and its page shows progress and report", async () => {
  const show = await openShowcase();
  await signInWith(tab, show.at, show.url);
  const { kind, goOn } = checkWithPause();
  // Moves the clock, so that each progress report is written.
  const now = () => {
    show.at.pass(SECOND);
    return show.at.platen.now();
  };
  const platen = { ...show.at.platen, now };
  const runner = jobRunner(platen, [kind]);
  await tab.open(`${show.url}/admin/about`, PHONE);
  await tab.follow(press("Run a check"));
  expect(await tab.evaluate<string>("location.pathname")).toBe("/admin/jobs/1");
  expect(await tab.evaluate<string>("document.querySelector('.progress').textContent")).toContain(
    "Starts when",
  );
  runner.step();
  await tab.until("document.querySelector('progress')?.value === 4");
  expect(await tab.evaluate<string>("document.querySelector('.progress').textContent")).toContain("4 of 8");
  expect(await faultsIn(tab)).toEqual([]);
  goOn();
  await tab.until("document.querySelector('#job:not([data-under-way]) .lead')");
  expect(await tab.evaluate<string>("document.querySelector('#job .lead').textContent")).toStartWith(
    "Everything is in order",
  );
  expect(await tab.evaluate<boolean>("document.querySelector('progress') === null")).toBe(true);
  expect(await tab.evaluate<string>("document.querySelector('#toasts').textContent")).toStartWith(
    "Everything",
  );
  expect(await tab.evaluate<boolean>("document.querySelector('.toast') === null")).toBe(true);
  expect(await faultsIn(tab)).toEqual([]);
  expect(tab.complaints).toEqual([]);
});

/** Heights of a chart's bars, and the table below it. */
const DRAWN_AND_TOLD = `[...document.querySelectorAll("figure.chart")].map((chart) => ({
  heights: [...chart.querySelectorAll("rect")].map((bar) => bar.getBoundingClientRect().height),
  told: [...chart.querySelectorAll("td")].map((cell) => Number(cell.textContent.replaceAll(",", ""))),
  sum: chart.querySelector("strong").textContent,
  box: chart.querySelector("svg").getBoundingClientRect().height,
}))`;
interface Drawn {
  heights: number[];
  told: number[];
  sum: string;
  box: number;
}

inBrowser("the dashboard's bars match their tables, on a phone and a desktop", async () => {
  const show = await openShowcase();
  const { platen, pass } = show.at;
  await signInWith(tab, show.at, show.url);
  const tasks = periodicTasks(platen);
  tasks.step();
  const headers = { "user-agent": "Mozilla/5.0 (X11) Firefox/140.0", referer: "https://news.example.org/" };
  for (const readers of [3, 0, 9]) {
    for (let one = 0; one < readers; one++)
      await fetch(`${show.url}/what-the-tide-tables-do-not-say`, { headers });
    pass(DAY);
    tasks.step();
  }
  for (const view of [PHONE, DESKTOP]) {
    await tab.open(`${show.url}/admin/blogs/ada/statistics`, view);
    const charts = await tab.evaluate<Drawn[]>(DRAWN_AND_TOLD);
    expect(charts.map(({ heights }) => heights.length)).toEqual([30, 12, 12]);
    for (const { heights, told, sum } of charts) {
      const most = Math.max(...told);
      const highest = Math.max(...heights);
      expect(most).toBeGreaterThan(0);
      heights.forEach((height, index) => {
        expect(height / highest).toBeCloseTo((told[index] as number) / most, 1);
      });
      expect(sum).toStartWith(`${told.reduce((all, count) => all + count, 0)} `);
    }
    expect(charts[0]?.told.slice(-3).toSorted()).toEqual([0, 3, 9]);
    expect(await tab.evaluate<string>("document.querySelector('.ranks').textContent")).toContain(
      "tide tables",
    );
    await tab.evaluate("document.querySelectorAll('.chart details').forEach((one) => { one.open = true })");
    expect(await faultsIn(tab)).toEqual([]);
    expect(tab.complaints).toEqual([]);
  }
  await tasks.stop();
});

inBrowser("without scripts the page of a job reloads, and Cancel ends it", async () => {
  const show = await openShowcase();
  await signInWith(tab, show.at, show.url);
  await tab.open(`${show.url}/admin/about`, { ...DESKTOP, isWithoutScripts: true });
  await tab.follow(press("Run a check"));
  // The page may reload while it is read.
  await tab.until("document.querySelector('meta[http-equiv=refresh]')?.content === '3'");
  // The page may reload while Cancel is pressed, so press it again.
  const isCancelled = "document.querySelector('#job .state')?.textContent === 'Cancelled'";
  while (!(await tab.evaluate<boolean>(isCancelled).catch(() => false)))
    await tab.follow(press("Cancel")).catch(() => {});
  expect(await tab.evaluate<boolean>("document.querySelector('meta[http-equiv=refresh]') === null")).toBe(
    true,
  );
});

// `TAKE_PICTURES=1 bun test test/slow/browser/watching.test.ts` takes the statistics of docs/admin.md.
forDocs("a picture for the docs", async () => {
  const show = await openShowcase();
  const { platen, blog } = show.at;
  await signInWith(tab, show.at, show.url);
  const { $client } = platen.db;
  $client.run("UPDATE posts SET deleted_at = 1 WHERE title LIKE 'Rindfleisch%' OR title = ''");
  lastDays(platen, blog, 30).forEach((day, index) => {
    const count = Math.round(60 + 25 * Math.sin(index / 2) + index + ((index * 37) % 17));
    $client.run("INSERT INTO blog_readings VALUES (1, ?, ?)", [day, count]);
    $client.run("INSERT INTO views SELECT id, ?, id * ? % 40 + 1, 1 FROM posts WHERE title <> ''", [
      day,
      count,
    ]);
    for (const [host, share] of Object.entries({
      "news.example.org": 3,
      "search.example": 4,
      "social.example": 7,
    }))
      $client.run("INSERT INTO referrers VALUES (1, ?, ?, ?)", [day, host, Math.floor(count / share)]);
  });
  await tab.open(`${show.url}/admin/blogs/ada/statistics`, { ...DESKTOP, height: 820 });
  await Bun.write(join(CHECKOUT, "docs/images/admin-home.webp"), await tab.screenshot("webp"));
});
