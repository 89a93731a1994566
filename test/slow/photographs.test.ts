import { beforeAll, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { THEME_NAMES } from "../../src/themes/theme-list";
import { openBrowser, tab } from "../support/browser-tab";
import { SCROLL_THROUGH } from "../support/page-faults";
import { openShowcase, type Showcase } from "../support/showcase";

const VIEWS = [
  { name: "phone", width: 390, height: 844, isDark: false },
  { name: "phone-dark", width: 390, height: 844, isDark: true },
  { name: "desktop", width: 1280, height: 900, isDark: false },
  { name: "desktop-dark", width: 1280, height: 900, isDark: true },
] as const;
/** `PHOTOGRAPHS=folder bun test test/slow/photographs.test.ts` takes the pictures. pages.test.ts checks the pages. */
const folder = Bun.env.PHOTOGRAPHS ?? "";

let show: Showcase;
if (folder) {
  openBrowser("pages of every theme");
  beforeAll(async () => {
    show = await openShowcase();
  });
}

test.skipIf(!folder).each(THEME_NAMES)("photographs every page of %s", async (theme) => {
  show.set({ theme });
  mkdirSync(join(folder, theme), { recursive: true });
  for (const view of VIEWS)
    for (const [name, path] of Object.entries(show.pages)) {
      await tab.open(show.url + path, view);
      await tab.evaluate(SCROLL_THROUGH);
      await Bun.write(join(folder, theme, `${name}.${view.name}.webp`), await tab.screenshot("webp", true));
    }
});
