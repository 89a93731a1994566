import { afterAll, beforeAll, test } from "bun:test";
import { type Browser, chromium, startBrowser, type Tab } from "./browser";

/** The tab that `openBrowser` opened for this test file. */
export let browser: Browser;
export let tab: Tab;

/** `test`, skipped if no browser is installed. */
export const inBrowser = test.skipIf(!chromium);
/** `test` for the pictures of docs/, run if TAKE_PICTURES is set. */
export const forDocs = test.skipIf(!chromium || !Bun.env.TAKE_PICTURES);

/** Opens a browser with one tab for all tests of a file. @param untested subject of the tests, for the message if there is no browser */
export function openBrowser(untested: string): void {
  if (!chromium)
    console.warn(
      `Chromium is missing, so these tests are skipped: ${untested}. Type: apt-get install chromium-headless-shell`,
    );
  beforeAll(async () => {
    if (!chromium) return;
    browser = await startBrowser();
    tab = await browser.newTab();
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
  });
}
