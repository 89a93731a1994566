import { expect } from "bun:test";
import { join } from "node:path";
import { signInWith } from "../../support/admin-tab";
import type { View } from "../../support/browser";
import { inBrowser, openBrowser, tab } from "../../support/browser-tab";
import { faultsIn, SMALL_TARGETS } from "../../support/page-faults";
import { startPlaten } from "../../support/platen";

const DESKTOP = { width: 1280, height: 800, isDark: false };
const PHONE = { width: 390, height: 844, isDark: false };
const HOME = "/admin/blogs/ada";

openBrowser("the search of the admin");

async function startSearch() {
  const at = startPlaten();
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => at.fetch(request.url, request),
  });
  const url = `http://127.0.0.1:${server.port}`;
  Object.assign(at.platen.config, { url });
  for (const post of [
    { title: "A weekend in Lisbon", status: "draft" },
    { title: "The last ferry", status: "published" },
    { title: "About Ada", type: "page", status: "published" },
  ])
    await at.api("POST", "/posts", { post: { content: "<p>Water and trams.</p>", ...post } });
  await signInWith(tab, at, url);
  const open = (path: string, view: View = DESKTOP) => tab.open(url + path, view);
  return { at, open, [Symbol.asyncDispose]: () => server.stop(true) };
}

const isOpen = () => tab.evaluate<boolean>("document.getElementById('search-dialog').open");
const names = () =>
  tab.evaluate<string[]>(
    "[...document.querySelectorAll('#search-dialog .name')].map((one) => one.textContent)",
  );
const path = () => tab.evaluate<string>("location.pathname");
/** Takes a screenshot if SEARCH_SHOTS names a folder. */
const shoot = async (name: string) =>
  Bun.env.SEARCH_SHOTS &&
  (await Bun.write(join(Bun.env.SEARCH_SHOTS, `${name}.png`), await tab.screenshot("png")));

inBrowser("Ctrl+K finds posts, pages and settings on every page, by keyboard alone", async () => {
  await using search = await startSearch();
  await search.open(HOME);
  await tab.press("Control+k");
  await tab.until("document.querySelectorAll('#search-dialog .name').length > 0");
  expect(await names()).toContain("The last ferry");
  expect(await faultsIn(tab)).toEqual([]);
  await shoot("open");
  await tab.type("lisb");
  await tab.until("document.querySelector('#search-dialog .name')?.textContent === 'A weekend in Lisbon'");
  expect(await names()).toEqual(["A weekend in Lisbon", "Search all posts for “lisb”"]);
  await shoot("typed");
  await tab.press("ArrowDown");
  await tab.press("ArrowDown");
  expect(await tab.evaluate<string>("document.activeElement.textContent")).toContain("Search all posts");
  await tab.press("ArrowDown");
  expect(await tab.evaluate<string>("document.activeElement.id")).toBe("dialog-search");
  await tab.press("Escape");
  expect(await isOpen()).toBe(false);

  await search.open("/admin/keys");
  await tab.press("Meta+k");
  await tab.type("design");
  await tab.until("document.querySelector('#search-dialog .name')?.textContent === 'Settings: Design'");
  await tab.press("Enter");
  await tab.until("location.pathname === '/admin/blogs/ada/settings/theme'");
  expect(tab.complaints).toEqual([]);
});

inBrowser("in the editor, Ctrl+K searches without a selection and links with one", async () => {
  await using search = await startSearch();
  await search.open(`${HOME}/posts/1`);
  await tab.until("document.querySelector('.ProseMirror')");
  await tab.evaluate("document.querySelector('.ProseMirror').focus()");
  await tab.press("Control+k");
  expect(await isOpen()).toBe(true);
  await tab.press("Control+k");
  expect(await isOpen()).toBe(false);
  await tab.evaluate(
    "document.querySelector('.ProseMirror').focus(); getSelection().selectAllChildren(document.querySelector('.ProseMirror p'))",
  );
  await tab.until("document.querySelector('.has-selection')");
  await tab.press("Control+k");
  expect(await isOpen()).toBe(false);
});

inBrowser("in the Markdown editor, Ctrl+K searches without a selection and links with one", async () => {
  await using search = await startSearch();
  await search.at.api("POST", "/posts", {
    post: { title: "Tea", content: "Boil water.", content_type: "markdown" },
  });
  await search.open(`${HOME}/posts/4`);
  const select = (end: number) =>
    tab.evaluate(
      `{ const area = document.querySelector("#content"); area.focus(); area.setSelectionRange(0, ${end}); }`,
    );
  await select(0);
  await tab.press("Control+k");
  expect(await isOpen()).toBe(true);
  await tab.press("Escape");
  await select(4);
  await tab.press("Control+k");
  expect(await isOpen()).toBe(false);
  expect(await tab.evaluate<string>("document.querySelector('#content').value")).toBe(
    "[Boil](https://) water.",
  );
});

inBrowser("offline, the search says that it failed and closes", async () => {
  await using search = await startSearch();
  await search.open(HOME);
  await tab.setOnline(false);
  await tab.press("Control+k");
  await tab.until("document.querySelector('#search-dialog [role=status]').textContent.includes('failed')");
  await tab.press("Escape");
  await tab.setOnline(true);
  expect(await isOpen()).toBe(false);
});

inBrowser(
  "on a phone, the magnifier opens the search; without scripts it links to the search page",
  async () => {
    await using search = await startSearch();
    await search.open("/admin/keys", PHONE);
    await tab.evaluate("document.querySelector('.bar button').click()");
    await tab.evaluate("document.querySelector('.rail [data-search]').click()");
    expect(await isOpen()).toBe(true);
    expect(await tab.evaluate<boolean>("document.querySelector('.rail').matches(':popover-open')")).toBe(
      false,
    );
    for (const isDark of [false, true]) {
      await search.open(HOME, { ...PHONE, isDark });
      await tab.evaluate("document.querySelector('.top [data-search]').click()");
      await tab.until("document.querySelectorAll('#search-dialog .name').length > 0");
      expect([await path(), await isOpen()]).toEqual([HOME, true]);
      expect(await faultsIn(tab)).toEqual([]);
      expect(await tab.evaluate<string[]>(SMALL_TARGETS)).toEqual([]);
      await shoot(isDark ? "phone-dark" : "phone");
      const link = await tab.evaluate<string>("document.querySelector('.top [data-search]').pathname");
      await search.open(`${link}?search=about`, { ...PHONE, isDark });
      expect(
        await tab.evaluate<string[]>(
          "[...document.querySelectorAll('main .name')].map((one) => one.textContent)",
        ),
      ).toEqual(["About Ada", "About", "Search all posts for “about”"]);
      expect(await faultsIn(tab)).toEqual([]);
      await shoot(isDark ? "page-dark" : "page");
    }
  },
);
