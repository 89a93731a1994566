import { beforeAll, expect, setDefaultTimeout } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { STANDARD_THEME, THEME_NAMES } from "../../src/themes/themes";
import { chromium } from "../support/browser";
import { inBrowser, openBrowser, tab } from "../support/browser-tab";
import { faultsIn, SHIFTS } from "../support/page-faults";
import { openShowcase, type Showcase } from "../support/showcase";
import { temporaryFolder } from "../support/temporary";

setDefaultTimeout(1_800_000);
openBrowser("pages of every theme");

const VIEWS = [
  { name: "phone", width: 390, height: 844, isDark: false },
  { name: "phone-dark", width: 390, height: 844, isDark: true },
  { name: "desktop", width: 1280, height: 900, isDark: false },
  { name: "desktop-dark", width: 1280, height: 900, isDark: true },
] as const;
/** Maximum layout shift, caused by fonts that load late, such as ruby. Lighthouse does not show it. */
const STILL = 0.002;
/** `PHOTOGRAPHS=folder bun test test/slow/photographs.test.ts` keeps the pictures. */
const outputFolder = Bun.env.PHOTOGRAPHS;
/** Each theme takes minutes, so without a folder only the standard theme is photographed, in two views. */
const themes = outputFolder ? THEME_NAMES : [STANDARD_THEME];
const views = outputFolder ? VIEWS : [VIEWS[0], VIEWS[3]];

let show: Showcase;
let folder = "";
beforeAll(async () => {
  folder = outputFolder || temporaryFolder("photographs");
  if (chromium) show = await openShowcase();
});

for (const theme of themes)
  inBrowser(
    `every page of ${theme} fits a phone and a desktop, is readable in light and dark, and has no layout shift`,
    async () => {
      show.set({ theme });
      mkdirSync(join(folder, theme), { recursive: true });
      const faults: string[] = [];
      for (const view of views) {
        for (const [name, path] of Object.entries(show.pages)) {
          await tab.open(show.url + path, view);
          const found = await faultsOf(view.width);
          faults.push(...found.map((fault) => `${name}, ${view.name}: ${fault}`));
          await Bun.write(
            join(folder, theme, `${name}.${view.name}.webp`),
            await tab.screenshot("webp", true),
          );
        }
      }
      expect(faults).toEqual([]);
    },
  );

async function faultsOf(width: number): Promise<string[]> {
  // Pictures that load while scrolling must not cause layout shift.
  await tab.evaluate(SCROLL_THROUGH);
  const shift = await tab.evaluate<number>(SHIFTS);
  const wide = await tab.evaluate<number>("document.documentElement.scrollWidth");
  return [
    ...(shift > STILL ? [`moves by ${shift}`] : []),
    ...(wide > width ? [`is ${wide} wide`] : []),
    ...tab.complaints.filter((complaint) => !FAILED.test(complaint)),
    ...(await faultsIn(tab)),
  ];
}

/** Expected errors: error pages, and pictures of other sites. */
const FAILED =
  /^Failed to load resource: (the server responded with a status of [45]|net::ERR_NAME_NOT_RESOLVED)/;

const SCROLL_THROUGH = `(async () => {
  const wait = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  for (let y = 0; y < document.documentElement.scrollHeight; y += innerHeight) {
    scrollTo({ top: y, behavior: "instant" });
    await wait();
  }
  await Promise.all([...document.images].map((image) => image.complete || new Promise((done) => { image.onload = image.onerror = done; })));
  scrollTo({ top: 0, behavior: "instant" });
  await wait();
})()`;
