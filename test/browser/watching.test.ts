import { expect } from "bun:test";
import { jobRunner } from "../../src/jobs/job-runner";
import { checkJob } from "../../src/upkeep/upkeep-jobs";
import { signInWith } from "../support/admin-tab";
import { inBrowser, openBrowser, tab } from "../support/browser-tab";
import { faultsIn } from "../support/page-faults";
import { SECOND } from "../support/platen";
import { openShowcase } from "../support/showcase";

const DESKTOP = { width: 1280, height: 900, isDark: false };
const PHONE = { width: 390, height: 844, isDark: false };
openBrowser("the dashboard and the jobs in a browser");

/** Comes once the page has become so. */
const once = (condition: string) =>
  `new Promise((resolve) => { const look = () => ${condition} ? resolve(true) : requestAnimationFrame(look); look(); })`;
const press = (words: string) =>
  `[...document.querySelectorAll("main button")].find((button) => button.textContent === "${words}").click()`;

/** The check, which waits in the middle of the files until it may go on. */
function checkWithPause() {
  const pause = Promise.withResolvers<void>();
  const kind: typeof checkJob = {
    ...checkJob,
    run: (platen, task) =>
      checkJob.run(platen, {
        ...task,
        async tellProgress(progress) {
          await task.tellProgress(progress);
          if (progress.done === 4) await pause.promise;
        },
      }),
  };
  return { kind, goOn: pause.resolve };
}

inBrowser("a check is begun by its button, shows how far it is, and ends with its report", async () => {
  const show = await openShowcase();
  await signInWith(tab, show.at, show.url, PHONE);
  const { kind, goOn } = checkWithPause();
  // As a clock that runs: each time that progress is told it is written.
  const now = () => {
    show.at.pass(SECOND);
    return show.at.platen.now();
  };
  const platen = { ...show.at.platen, now };
  const runner = jobRunner(platen, [kind]);
  await tab.open(`${show.url}/admin/about`, PHONE);
  await tab.follow(press("Check"));
  expect(await tab.evaluate<string>("location.pathname")).toBe("/admin/jobs/1");
  expect(await tab.evaluate<string>("document.querySelector('.progress').textContent")).toContain(
    "It begins",
  );
  runner.step();
  await tab.evaluate(once("document.querySelector('progress')?.value === 4"));
  expect(await tab.evaluate<string>("document.querySelector('.progress').textContent")).toContain("4 of 8");
  expect(await faultsIn(tab)).toEqual([]);
  goOn();
  await tab.evaluate(once("document.querySelector('#job:not([data-under-way]) .lead')"));
  expect(await tab.evaluate<string>("document.querySelector('#job .lead').textContent")).toStartWith(
    "Everything is in order",
  );
  expect(await tab.evaluate<boolean>("document.querySelector('progress') === null")).toBe(true);
  expect(await tab.evaluate<string>("document.querySelector('.toast').textContent")).toStartWith(
    "Everything",
  );
  expect(await faultsIn(tab)).toEqual([]);
  expect(tab.complaints).toEqual([]);
  await show.stop();
});

inBrowser("without scripts the page of a job asks again by itself, and Cancel ends it", async () => {
  const show = await openShowcase();
  await signInWith(tab, show.at, show.url, DESKTOP);
  await tab.open(`${show.url}/admin/about`, { ...DESKTOP, isWithoutScripts: true });
  await tab.follow(press("Check"));
  expect(await tab.evaluate<string>("document.querySelector('meta[http-equiv=refresh]').content")).toBe("3");
  await tab.follow(press("Cancel"));
  expect(await tab.evaluate<string>("document.querySelector('#job .state').textContent")).toBe("Cancelled");
  expect(await tab.evaluate<boolean>("document.querySelector('meta[http-equiv=refresh]') === null")).toBe(
    true,
  );
  await show.stop();
});
