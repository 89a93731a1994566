import { afterAll, beforeAll, expect, test } from "bun:test";
import axe from "axe-core";
import { THEME_NAMES } from "../../src/themes/themes";
import { type Browser, chromium, startBrowser, type Tab, type View } from "../support/browser";
import { openShowcase } from "./showcase";

const DESKTOP = { width: 1280, height: 900 };
const PHONE = { width: 390, height: 844 };
/** WCAG 2.2, 1.4.10: nothing is cut off or has to be scrolled sideways at this width. */
const NARROWEST = 320;
/** What a post of text may weigh as it is sent: page and stylesheet, in bytes. */
const LIGHT = 30_000;
/** Rules of WCAG 2.2 AA, and what axe's authors think good besides. */
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

if (!chromium)
  console.warn(
    "No Chromium here: how pages look in a browser is not tested. `apt-get install chromium` has it.",
  );
const inBrowser = test.skipIf(!chromium);

let browser: Browser;
let tab: Tab;
beforeAll(async () => {
  if (!chromium) return;
  browser = await startBrowser();
  tab = await browser.newTab();
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
});

for (const theme of THEME_NAMES)
  inBrowser(
    `axe finds nothing on any page of the ${theme} theme, by day or by night, and browsers complain of nothing`,
    async () => {
      const show = await openShowcase();
      show.set({ theme });
      const faults: string[] = [];
      const look = async (view: View) => {
        for (const [name, path] of Object.entries(show.pages)) {
          await tab.open(show.url + path, view);
          const at = `${name}, ${view.isDark ? "dark" : "light"}`;
          for (const fault of await faultsIn(tab)) faults.push(`${at}: ${fault}`);
          for (const complaint of tab.complaints) if (name !== "missing") faults.push(`${at}: ${complaint}`);
          const elsewhere = tab.requests.filter(
            (one) => !one.startsWith(show.url) && !one.startsWith("data:"),
          );
          for (const request of elsewhere) faults.push(`${at}: asks ${request}`);
        }
      };
      await look({ ...DESKTOP, isDark: false });
      await look({ ...PHONE, isDark: true });
      await show.stop();
      expect(faults).toEqual([]);
    },
  );

inBrowser(
  "nothing is wider than the narrowest screen, nothing moves while it loads, and a post of text is light",
  async () => {
    const show = await openShowcase();
    for (const theme of THEME_NAMES) {
      show.set({ theme });
      for (const [name, path] of Object.entries(show.pages)) {
        await tab.open(show.url + path, { width: NARROWEST, height: 640, isDark: false });
        const width = await tab.evaluate<number>("document.documentElement.scrollWidth");
        expect(`${theme} ${name}: ${width}`).toBe(`${theme} ${name}: ${NARROWEST}`);
      }
      await tab.open(show.url + show.pages.gallery, { ...DESKTOP, isDark: false });
      expect(await tab.evaluate<number>(SHIFTS)).toBeLessThan(0.01);
      await tab.open(show.url + show.pages.long, { ...PHONE, isDark: false });
      expect(await tab.evaluate<number>(BYTES)).toBeLessThan(LIGHT);
      expect(tab.requests.filter((address) => !/favicon|icon-|webmanifest/.test(address))).toHaveLength(2);
    }
    await show.stop();
  },
);

inBrowser(
  "an owner's colour is made readable, and a blog written from right to left is laid out that way",
  async () => {
    const show = await openShowcase();
    const path = show.url + show.pages.long;
    for (const accent of ["#ffe600", "#0a0a2a"]) {
      show.set({ accent });
      for (const isDark of [false, true]) {
        await tab.open(path, { ...PHONE, isDark });
        expect(await faultsIn(tab)).toEqual([]);
      }
    }
    show.set({ language: "ar" });
    await tab.open(show.url, { ...DESKTOP, isDark: false });
    const name = "document.querySelector('.site .name a').getBoundingClientRect()";
    expect(await tab.evaluate<number>(`${name}.left`)).toBeGreaterThan(DESKTOP.width / 2);
    expect(await faultsIn(tab)).toEqual([]);
    await show.stop();
  },
);

async function faultsIn(on: Tab): Promise<string[]> {
  const options = { runOnly: RULES, resultTypes: ["violations"] };
  return await on.evaluate<string[]>(`(async () => {
    if (!window.axe) { ${axe.source} }
    const { violations } = await axe.run(document, ${JSON.stringify(options)});
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ": " + html.slice(0, 200) + " " + failureSummary));
  })()`);
}

/** How much what was shown has moved, as the browser counts it. */
const SHIFTS = `new Promise((resolve) => {
  let sum = 0;
  new PerformanceObserver((list) => { for (const entry of list.getEntries()) sum += entry.value; })
    .observe({ type: "layout-shift", buffered: true });
  requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)));
})`;

/** What page and stylesheet weighed on the wire. */
const BYTES = `performance.getEntriesByType("navigation")[0].transferSize +
  performance.getEntriesByType("resource").filter(({ name }) => name.includes("/assets/")).reduce((sum, { transferSize }) => sum + transferSize, 0)`;
