import { expect } from "bun:test";
import { join } from "node:path";
import { signInWith } from "../../support/admin-tab";
import type { View } from "../../support/browser";
import { forDocs, inBrowser, openBrowser, tab } from "../../support/browser-tab";
import { faultsIn, LOOKS, SHIFTS, SMALL_TARGETS } from "../../support/page-faults";
import { picture, uploadForm } from "../../support/pictures";
import { HOUR, startPlaten, type TestPlaten } from "../../support/platen";
import { CHECKOUT } from "../../support/source";

const DESKTOP = { width: 1280, height: 900, isDark: false };
const PHONE = { width: 390, height: 844, isDark: false };
const SMALL_PHONE = { width: 360, height: 780, isDark: false };
const SMALLEST_PHONE = { width: 320, height: 640, isDark: false };
const VIEWS = [DESKTOP, PHONE].flatMap((view) => [view, { ...view, isDark: true }]);

openBrowser("settings of a post");

/** The Platen of this test. */
let at: TestPlaten;
let url: string;

/** A Platen that the browser reaches, its owner signed in. */
async function startPanel(): Promise<AsyncDisposable> {
  at = startPlaten();
  const { fetch } = at;
  const server = Bun.serve({
    idleTimeout: 0,
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => fetch(request.url, request),
  });
  url = `http://127.0.0.1:${server.port}`;
  Object.assign(at.platen.config, { url });
  await signInWith(tab, at, url);
  await tab.command("Network.setCookie", { name: "platen_panel", value: "shut", url });
  return { [Symbol.asyncDispose]: async () => server.stop(true) };
}

const postOf = async (post: Record<string, unknown>) =>
  (await at.api("POST", "/posts", { post: { tags: ["rain", "weather"], ...post } })).body.post;
const postNow = async (id: number) => (await at.api("GET", `/posts/${id}`)).body.post;
const open = (path: string, view: View) => tab.open(`${url}/admin/blogs/ada/posts/${path}`, view);
const isPanelOpen = () => tab.evaluate<boolean>("document.querySelector('#panel').open");
const toggleSettings = () => tab.evaluate("document.querySelector('[data-settings]').click()");
const pressAndFollow = (action: string) =>
  tab.follow(`document.querySelector("button[value=${action}]").click()`);
const textOf = (selector: string) =>
  tab.evaluate<string>(`document.querySelector(${JSON.stringify(selector)}).textContent`);
/** Types at the end of a field, like a person. */
const typeInto = async (field: string, text: string) => {
  await tab.evaluate(`{ const field = document.querySelector("[name=${field}]"); field.focus();
    field.setSelectionRange(field.value.length, field.value.length); }`);
  await tab.type(text);
};
const fill = (field: string, value: string) =>
  tab.evaluate(`{ const field = document.querySelector("[name=${field}]"); field.value = "${value}";
    field.dispatchEvent(new Event("input", { bubbles: true })); }`);

inBrowser("the panel passes axe, has large targets, and logs no errors", async () => {
  await using _panel = await startPanel();
  const draft = await postOf({ title: "Draft", content: "<p>It rained.</p>", meta: { is_shared: true } });
  await at.api("PATCH", `/posts/${draft.id}`, { post: { slug: "another" } });
  const body = uploadForm(await picture(), "cat.jpg");
  await at.fetch("/api/v1/attachments", {
    method: "POST",
    headers: { authorization: `Bearer ${at.key}` },
    body,
  });
  const [{ html }] = (await at.api("GET", "/attachments")).body.attachments;
  const live = await postOf({ title: "Live", content: html, status: "published" });
  const faults: string[] = [];
  for (const path of ["new", draft.id, live.id]) {
    await open(path, DESKTOP);
    await tab.evaluate("document.querySelector('#panel').open = true");
    for (const view of VIEWS) {
      await tab.show(view);
      const found = [
        // The other rules read the markup, which is the same in all views.
        ...(await faultsIn(tab, view === DESKTOP ? undefined : LOOKS)),
        ...(await tab.evaluate<string[]>(SMALL_TARGETS)),
      ];
      const width = await tab.evaluate<number>("document.documentElement.scrollWidth");
      if (width > view.width) found.push(`is ${width} wide`);
      for (const fault of found)
        faults.push(`${path}, ${view.width} ${view.isDark ? "dark" : "light"}: ${fault}`);
    }
    faults.push(
      ...tab.complaints,
      ...tab.requests.filter((one) => !/^(data|blob):/.test(one) && !one.startsWith(url)),
    );
  }
  expect(faults).toEqual([]);
});

inBrowser(
  "on a wide screen the panel is next to the text, and stays open or closed without layout shift",
  async () => {
    await using _panel = await startPanel();
    const { id } = await postOf({ title: "Draft" });
    await open(id, DESKTOP);
    await open(id, DESKTOP);
    expect(await isPanelOpen()).toBe(false);
    expect(await tab.evaluate<boolean>("document.querySelector('#panel').checkVisibility()")).toBe(false);
    await toggleSettings();
    // The browser sends the event in a later task.
    await tab.until("document.cookie.includes('platen_panel=open')");
    await open("new", DESKTOP);
    expect(await isPanelOpen()).toBe(true);
    expect(await tab.evaluate<number>(SHIFTS)).toBeLessThan(0.01);
    const isNextToText = `document.querySelector("#panel").getBoundingClientRect().left >= document.querySelector("main").getBoundingClientRect().right`;
    expect(await tab.evaluate<boolean>(isNextToText)).toBe(true);
    await tab.evaluate("document.querySelector('#panel > summary').focus()");
    await tab.press("Enter");
    await tab.until("document.activeElement.matches('[data-settings][aria-expanded=false]')");
    await open(id, DESKTOP);
    expect(await isPanelOpen()).toBe(false);
  },
);

inBrowser("at 1280 pixels the editor's head is one line high next to the open panel", async () => {
  await using _panel = await startPanel();
  const body = uploadForm(await picture(), "cat.jpg");
  const headers = { authorization: `Bearer ${at.key}` };
  await at.fetch("/api/v1/attachments", { method: "POST", headers, body });
  const [{ html: content }] = (await at.api("GET", "/attachments")).body.attachments;
  const later = new Date(at.platen.now().getTime() + 99 * HOUR).toISOString();
  const posts = [{}, { status: "published" }, { status: "published", published_at: later }];
  for (const post of posts) {
    await open((await postOf({ title: "Cat", content, ...post })).id, DESKTOP);
    await tab.until("!document.querySelector('[data-missing-alt]').hidden");
    if (!(await isPanelOpen())) await toggleSettings();
    await tab.until("document.querySelector('#panel').open");
    const height = "document.querySelector('.writing-head').getBoundingClientRect().height";
    expect(await tab.evaluate<number>(height)).toBeLessThan(70);
  }
});

inBrowser("on a phone the button scrolls to the panel below the text", async () => {
  await using _panel = await startPanel();
  const { id } = await postOf({ title: "Draft", content: "<p>Long.</p>".repeat(80) });
  await open(id, PHONE);
  await toggleSettings();
  expect(await isPanelOpen()).toBe(true);
  const seen = `(({ top }) => top > 0 && top < innerHeight)(document.querySelector("#panel > summary").getBoundingClientRect())`;
  expect(await tab.evaluate<boolean>(seen)).toBe(true);
});

inBrowser("tags are completed with the keyboard, one after the other", async () => {
  await using _panel = await startPanel();
  await postOf({ title: "Other" });
  const { id } = await postOf({ title: "Draft", tags: ["cold"] });
  await open(id, DESKTOP);
  await tab.evaluate("document.querySelector('#panel').open = true");
  await typeInto("tags", ", ra");
  await tab.press("ArrowDown");
  expect(await textOf("#tag-choices [aria-selected=true]")).toBe("rain");
  expect(await faultsIn(tab)).toEqual([]);
  await tab.press("Enter");
  await tab.type("wea");
  await tab.press("ArrowDown");
  await tab.press("Enter");
  await pressAndFollow("save");
  expect((await postNow(id)).tags).toEqual(["cold", "rain", "weather"]);
});

inBrowser("the panel shows how far away the typed time is, and which URLs will redirect", async () => {
  await using _panel = await startPanel();
  at.platen.db.$client.run("UPDATE blogs SET time_zone = 'Asia/Kolkata' WHERE slug = 'ada'");
  const { id } = await postOf({ title: "Draft" });
  await open(id, DESKTOP);
  const inKolkata = new Date(Date.now() + 5.5 * HOUR + 3 * HOUR + 60_000).toISOString().slice(0, 16);
  await fill("publish_at", inKolkata);
  expect(await textOf("[data-time-said]")).toBe("Goes live in 3 h.");
  await tab.evaluate("document.querySelector('[data-now]').click()");
  expect(await textOf("[data-time-said]")).toBe("Now.");
  await fill("slug", "Rain again");
  expect(await textOf("[data-address]")).toBe(`${url}/rain-again`);
  expect(await textOf("[data-address] + .said")).toBe(
    `${url}/${(await postNow(id)).slug} will redirect here.`,
  );
});

inBrowser("the newsletter is deselected while the typed date is more than 7 days ago", async () => {
  await using _panel = await startPanel();
  at.platen.db.$client.run(`UPDATE blogs SET reach = '{"newsletter":{"sends":"each"}}' WHERE slug = 'ada'`);
  const { id } = await postOf({ title: "Draft" });
  const isSelected = () => tab.evaluate<boolean>("document.querySelector('#switch-newsletter').checked");
  const reach = () =>
    at.platen.db.$client.query<{ reach: string | null }, []>("SELECT reach FROM posts").get()?.reach;
  await open(id, DESKTOP);
  await fill("publish_at", "2001-03-01T09:00");
  expect([await isSelected(), await textOf("#switch-newsletter-does")]).toEqual([
    ...[false, "Not sent by default, because the post is dated more than 7 days ago."],
  ]);
  await fill("publish_at", "2199-03-01T09:00");
  expect([await isSelected(), await textOf("#switch-newsletter-does")]).toEqual([
    ...[true, "By e-mail to your subscribers, once."],
  ]);
  await fill("publish_at", "2001-03-01T09:00");
  await pressAndFollow("save");
  expect(reach()).toBeNull();
  await open(id, DESKTOP);
  expect(await isSelected()).toBe(false);
  await tab.evaluate("document.querySelector('#switch-newsletter').click()");
  await pressAndFollow("save");
  expect(reach()).toBe('{"newsletter":true}');
});

inBrowser("the button Publish is called Schedule while the post's time is in the future", async () => {
  await using _panel = await startPanel();
  const { id } = await postOf({ title: "Draft" });
  await open(id, DESKTOP);
  const label = () => textOf(".ways button[value=publish]");
  expect(await label()).toBe("Publish");
  await fill("publish_at", "2199-03-01T09:00");
  expect(await label()).toBe("Schedule");
  await fill("publish_at", "2001-03-01T09:00");
  expect(await label()).toBe("Publish");
  await fill("publish_at", "2199-03-01T09:00");
  await pressAndFollow("save");
  await open(id, { ...DESKTOP, isWithoutScripts: true });
  expect(await label()).toBe("Schedule");
});

inBrowser("Save draft, Schedule and the menu fit in one line on a phone", async () => {
  await using _panel = await startPanel();
  for (const width of [360, 390, 412]) {
    await open("new", { ...PHONE, width });
    await fill("publish_at", "2199-03-01T09:00");
    expect(await textOf(".ways button[value=publish]")).toBe("Schedule");
    const tops =
      "new Set([...document.querySelectorAll('.ways > *')].filter((one) => one.checkVisibility()).map((one) => one.offsetTop)).size";
    expect([width, await tab.evaluate(tops)]).toEqual([width, 1]);
  }
});

inBrowser("a long line of Markdown does not widen the page", async () => {
  await using _panel = await startPanel();
  const content = `A word and ${"https://example.org/a/long/address/".repeat(20)}`;
  const { id } = await postOf({ title: "Draft", content, content_type: "markdown" });
  for (const isOpen of [false, true]) {
    await open(id, DESKTOP);
    await tab.until(`document.querySelector("iframe.page-beside")`);
    if ((await isPanelOpen()) !== isOpen) await toggleSettings();
    expect(await tab.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(1280);
  }
});

inBrowser("the preview has the width of a phone or a desktop, and fits the window", async () => {
  await using _panel = await startPanel();
  for (const view of [DESKTOP, PHONE]) {
    const { id } = await postOf({ title: "Draft", content: "<p>Not saved like this.</p>" });
    await open(id, view);
    await fill("title", "Typed");
    await tab.evaluate("document.querySelector('button.preview').click()");
    const frame = "document.querySelector('.reader-view iframe')";
    await tab.until(`${frame}.contentDocument?.querySelector("h1")?.textContent.includes("Typed")`);
    for (const [name, width] of [
      ["Desktop", 1280],
      ["Phone", 390],
    ] as const) {
      await tab.evaluate(
        `[...document.querySelectorAll(".reader-view button")].find(({ textContent }) => textContent === "${name}").click()`,
      );
      expect(await tab.evaluate<number>(`${frame}.contentWindow.innerWidth`)).toBe(width);
      const { left, right } = await tab.evaluate<DOMRect>(`${frame}.getBoundingClientRect().toJSON()`);
      expect(left >= 0 && right <= view.width).toBe(true);
      expect(await faultsIn(tab)).toEqual([]);
    }
    await tab.evaluate("document.querySelector('.reader-bar > button').click()");
    expect(await tab.evaluate<boolean>("document.querySelector('.reader-view').open")).toBe(false);
    expect(tab.complaints).toEqual([]);
    expect((await postNow(id)).title).toBe("Draft");
  }
});

inBrowser("a share link is created, copied and revoked, and the typed text stays", async () => {
  await using _panel = await startPanel();
  const { id } = await postOf({ title: "Draft" });
  await open(id, DESKTOP);
  await fill("title", "Typed");
  await pressAndFollow("share");
  const { share_id } = (await postNow(id)).meta;
  expect(await tab.evaluate<string>("document.querySelector('#share-address').value")).toBe(
    `${url}/share/${share_id}`,
  );
  await tab.evaluate("document.querySelector('[data-copy]').click()");
  await tab.until(`/Copied|Selected/.test(document.querySelector("#toasts").textContent)`);
  await tab.evaluate("document.querySelector('#toasts [data-close]').click()");
  expect(await textOf("#toasts")).toBe("");
  await pressAndFollow("revoke");
  expect((await postNow(id)).meta.is_shared).toBe(false);
  expect(await tab.evaluate<string>("document.querySelector('[name=title]').value")).toBe("Typed");
});

inBrowser("going back after a share link was created does not resend the form", async () => {
  await using _panel = await startPanel();
  const { id } = await postOf({ title: "Draft" });
  await open(id, DESKTOP);
  await fill("title", "Typed");
  await pressAndFollow("share");
  await tab.until("document.querySelector('#share-address')");
  await tab.follow("document.querySelector('.where a').click()");
  await tab.evaluate("history.back()");
  await tab.until("document.querySelector('[name=title]').value === 'Typed'");
  expect(await tab.evaluate<string>("location.pathname")).toBe(`/admin/blogs/ada/posts/${id}`);
});

inBrowser("a new post that becomes a page has komments off, unless they were turned on by hand", async () => {
  await using _panel = await startPanel();
  const isClosed = () => tab.evaluate<boolean>("document.querySelector('#switch-kommentsDisabled').checked");
  const choose = (type: string) =>
    tab.evaluate(`{ const field = document.querySelector("[name=type]"); field.value = "${type}";
      field.dispatchEvent(new Event("change", { bubbles: true })); }`);
  const chosen: boolean[] = [];
  await open("new", DESKTOP);
  for (const type of ["page", "post", "page"]) {
    await choose(type);
    chosen.push(await isClosed());
  }
  await fill("title", "About");
  await pressAndFollow("save");
  const id = await tab.evaluate<string>("location.pathname.split('/').at(-1)");
  expect((await postNow(Number(id))).meta.komments_disabled).toBe(true);
  await open("new", DESKTOP);
  for (let press = 0; press < 2; press++)
    await tab.evaluate("document.querySelector('#switch-kommentsDisabled').click()");
  await choose("page");
  chosen.push(await isClosed());
  await open((await postOf({ title: "Draft" })).id, DESKTOP);
  await choose("page");
  chosen.push(await isClosed());
  expect(chosen).toEqual([true, false, true, false, false]);
});

inBrowser("results and errors of the panel's buttons are visible on a phone and have the focus", async () => {
  await using _panel = await startPanel();
  const { id } = await postOf({ title: "Draft", content: "<p>Long.</p>".repeat(80) });
  const focused = `(({ top, bottom }) => top > 0 && bottom < innerHeight && document.activeElement.id)(document.activeElement.getBoundingClientRect())`;
  await open(id, PHONE);
  await pressAndFollow("share");
  await tab.until(`${focused} === "share-address"`);
  // Nothing was typed, so nothing is unsaved.
  expect(await tab.evaluate<boolean>("document.querySelector('[data-unsaved]').hidden")).toBe(true);
  await pressAndFollow("revoke");
  await tab.until("document.activeElement.value === 'share'");
  await pressAndFollow("schedule");
  await tab.until(`${focused} === "publish_at"`);
  expect(await textOf("#publish_at-fault")).toBe("Publish at must be in the future.");
  await open("new", PHONE);
  await tab.until("document.querySelector('.ProseMirror')");
  await fill("title", "Later");
  await pressAndFollow("schedule");
  await tab.until("document.querySelector('.ProseMirror')");
  await tab.until(`${focused} === "publish_at"`);
  await open("new", PHONE);
  await pressAndFollow("publish");
  await tab.until("document.activeElement.closest('.ProseMirror')");
  expect(await textOf("#content-fault")).toBe("Content or title is required.");
  const fault = "document.querySelector('#content-fault').getBoundingClientRect()";
  expect(await tab.evaluate<number>(`${fault}.top`)).toBeGreaterThan(0);
  // The part of the screen above a phone's keyboard.
  expect(await tab.evaluate<number>(`${fault}.bottom`)).toBeLessThan(PHONE.height / 2);
});

inBrowser("on a small phone the post's buttons are in one row, and *Autosaved* moves nothing", async () => {
  await using _panel = await startPanel();
  const draft = await postOf({ title: "Draft" });
  const live = await postOf({ title: "Live", status: "published" });
  for (const [{ id }, view] of [
    [draft, SMALL_PHONE],
    [live, SMALL_PHONE],
    [draft, SMALLEST_PHONE],
  ]) {
    await open(id, view);
    await tab.until("document.querySelector('.ProseMirror')");
    const tops = await tab.evaluate<number[]>(
      "[...document.querySelectorAll('.ways > *')].filter((one) => one.checkVisibility()).map((one) => Math.round(one.getBoundingClientRect().y + one.getBoundingClientRect().height / 2))",
    );
    expect(new Set(tops).size).toBe(1);
    const top = "document.querySelector('[name=title]').getBoundingClientRect().top";
    const before = await tab.evaluate<number>(top);
    await fill("title", "Typed");
    await tab.until("document.querySelector('[data-saved]').textContent === 'Autosaved'");
    expect(await tab.evaluate<number>(top)).toBe(before);
  }
});

inBrowser("with 200 % text size nothing on a post's page is cut off on a phone", async () => {
  await using _panel = await startPanel();
  const { id } = await postOf({ title: "Live", status: "published" });
  await open(id, SMALL_PHONE);
  await fill("title", "Typed");
  await tab.until("document.querySelector('[data-saved]').textContent === 'Autosaved'");
  await tab.evaluate("document.querySelector('#panel').open = true");
  await tab.evaluate(`{ document.documentElement.style.fontSize = "200%"; }`);
  expect(await tab.evaluate<number>("document.documentElement.scrollWidth")).toBe(SMALL_PHONE.width);
  const widthOf = (selector: string) =>
    tab.evaluate<number>(`document.querySelector("${selector}").getBoundingClientRect().width`);
  expect(await widthOf("#publish_at")).toBe(await widthOf("#slug"));
});

inBrowser("right-to-left text begins at the right, for each paragraph separately", async () => {
  await using _panel = await startPanel();
  const content = "<p>ים גדול!</p><p>A large sea!</p><ul><li>גל</li></ul>";
  const { id } = await postOf({ title: "שלום!", content });
  await open(id, PHONE);
  await tab.until("document.querySelector('.ProseMirror')");
  const ends = await tab.evaluate<boolean[]>(`[...document.querySelectorAll(".ProseMirror p")].map((one) => {
    const range = document.createRange();
    range.selectNodeContents(one);
    return Math.abs(range.getBoundingClientRect().right - one.getBoundingClientRect().right) < 2;
  })`);
  expect(ends.slice(0, 2)).toEqual([true, false]);
  expect(
    await tab.evaluate<string>("getComputedStyle(document.querySelector('[name=title]')).unicodeBidi"),
  ).toBe("plaintext");
  const bullets = "getComputedStyle(document.querySelector('.ProseMirror ul')).direction";
  expect(await tab.evaluate<string>(bullets)).toBe("rtl");
  await tab.open(`${url}/admin/blogs/ada/posts`, PHONE);
  const [begin, end, box] = await tab.evaluate<[number, number, number]>(`(() => {
    const name = document.querySelector(".rows .name");
    const leftOf = (at) => {
      const range = document.createRange();
      range.setStart(name.firstChild, at);
      range.setEnd(name.firstChild, at + 1);
      return range.getBoundingClientRect().left;
    };
    return [leftOf(0), leftOf(name.firstChild.length - 1), name.getBoundingClientRect().left];
  })()`);
  expect(begin).toBeGreaterThan(end);
  expect(end - box).toBeLessThan(2);
});

inBrowser("without scripts the panel opens, duplicates, and deletes with Undo", async () => {
  await using _panel = await startPanel();
  const { id } = await postOf({ title: "Plain", meta: { is_shared: true } });
  await open(id, { ...PHONE, isWithoutScripts: true });
  expect(await isPanelOpen()).toBe(false);
  await toggleSettings();
  await tab.until("document.querySelector('#panel').open");
  const isSeen = (selector: string) =>
    tab.evaluate<boolean>(`document.querySelector("${selector}").checkVisibility()`);
  expect(await isSeen("#share-address")).toBe(true);
  await pressAndFollow("duplicate");
  expect(await textOf("#toasts p")).toBe("Draft copy created.");
  expect(await tab.evaluate<string>("document.querySelector('[name=title]').value")).toBe("Plain");
  await pressAndFollow("delete");
  await tab.follow("document.querySelector('.undo').click()");
  expect(await textOf("#toasts p")).toBe("“Plain” restored.");
});

// `TAKE_PICTURES=1 bun test test/slow/browser/post-panel.test.ts` takes the picture of docs/admin.md.
forDocs("a picture for the docs", async () => {
  await using _panel = await startPanel();
  at.platen.db.$client.run("UPDATE blogs SET title = 'Slow Water', time_zone = 'Europe/Lisbon'");
  const { id } = await postOf({
    title: "Low water at dawn",
    content: "<p>The boats lie on their sides, and the ferry waits an hour for the tide.</p>",
    status: "published",
    published_at: new Date(at.platen.now().getTime() + 3 * HOUR).toISOString(),
    category: "Walks",
    tags: ["morning", "ferry"],
  });
  await at.api("PATCH", `/posts/${id}`, { post: { slug: "low-water" } });
  await open(id, { ...DESKTOP, height: 860 });
  await toggleSettings();
  await tab.evaluate("document.activeElement.blur()");
  await Bun.write(join(CHECKOUT, "docs/images/admin-settings.webp"), await tab.screenshot("webp"));
});

inBrowser(
  "on a phone the head is one line; the title begins below it, and the text 48 pixels further",
  async () => {
    await using _panel = await startPanel();
    await open("new", PHONE);
    await tab.until("document.querySelector('.ProseMirror p')");
    const top = (selector: string) =>
      tab.evaluate<number>(`document.querySelector("${selector}").getBoundingClientRect().top`);
    expect(await top("[name=title]")).toBeLessThanOrEqual(60);
    expect(await top(".ProseMirror p")).toBeLessThanOrEqual(116);
    expect(
      await tab.evaluate<number>("document.querySelector('.sticky-bar').getBoundingClientRect().bottom"),
    ).toBe(PHONE.height);
  },
);
