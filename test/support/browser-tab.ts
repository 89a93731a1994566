import { afterAll, beforeAll, test } from "bun:test";
import { type Browser, chromium, startBrowser, type Tab } from "./browser";

/** The tab that `openBrowser` opened for this test file. */
export let browser: Browser;
export let tab: Tab;

/** `test`, skipped if no browser is installed. */
export const inBrowser = test.skipIf(!chromium);
/** `test` for the pictures of docs/, run if TAKE_PICTURES is set. */
export const forDocs = test.skipIf(!chromium || !Bun.env.TAKE_PICTURES);

/** Opens a browser with one tab for all tests of a file. @param untested what is skipped if there is no browser */
export function openBrowser(untested: string): void {
  if (!chromium)
    console.warn(`No Chromium here: ${untested} is not tested. \`apt-get install chromium\` has it.`);
  beforeAll(async () => {
    if (!chromium) return;
    browser = await startBrowser();
    tab = await browser.newTab();
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
  });
}
