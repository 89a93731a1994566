import { afterAll, beforeAll, test } from "bun:test";
import { type Browser, chromium, startBrowser, type Tab } from "./browser";

/** Of the test file that has called `openBrowser`. */
export let browser: Browser;
export let tab: Tab;

/** For tests that need a browser; they are left out where there is none. */
export const inBrowser = test.skipIf(!chromium);
/** For what takes the pictures of docs/, when TAKE_PICTURES asks for them. */
export const forDocs = test.skipIf(!chromium || !Bun.env.TAKE_PICTURES);

/** Opens one browser with one tab for all tests of a file. @param untested what is not tested where there is none */
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
