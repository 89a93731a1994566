import { beforeAll, beforeEach, expect } from "bun:test";
import { STANDARD_THEME, THEME_NAMES } from "../../../src/themes/theme-list";
import { chromium } from "../../support/browser";
import { inBrowser, openBrowser, tab } from "../../support/browser-tab";
import {
  faultsIn,
  LOOKS,
  SCROLL_THROUGH,
  SHIFTS,
  TRANSFERRED_BYTES,
  UNREACHABLE,
} from "../../support/page-faults";
import { openShowcase, type Showcase } from "../../support/showcase";

const DESKTOP = { width: 1280, height: 900 };
const PHONE = { width: 390, height: 844 };
/** WCAG 2.2, 1.4.10: nothing is cut off or scrolls sideways at this width. */
const NARROWEST = 320;
/** Maximum bytes of a text post with stylesheet, as sent. */
const LIGHT = 15_000;
openBrowser("public pages");

/** One showcase for all tests of this file, which only change its look. */
let show: Showcase;
beforeAll(async () => {
  if (chromium) show = await openShowcase();
});
beforeEach(() => show?.set({ theme: "sans", accent: "", language: "en" }));

/** Maximum layout shift, caused by fonts that load late, such as ruby. Lighthouse does not show it. */
const STILL = 0.002;
/** Pages with the same elements as others, seen in the first theme only. */
const ALIKE =
  "older page category tag words nothing share komment contact kommentThanks contactThanks deleted".split(
    " ",
  );

inBrowser(
  "the pages of every theme pass axe in light and dark, log no errors and fit the narrowest screen",
  async () => {
    show.set({ theme: STANDARD_THEME });
    const faults = await shiftsOn(show.pages);
    const pages = { ...show.pages };
    for (const theme of THEME_NAMES) {
      show.set({ theme });
      faults.push(...(await faultsOn(pages)).map((fault) => `${theme}, ${fault}`));
      for (const name of ALIKE) delete pages[name];
    }
    expect(faults).toEqual([]);
  },
);

inBrowser("pages without a theme pass too: owners' pages, pages for apps and error pages", async () => {
  expect(await faultsOn(await show.plainPages())).toEqual([]);
});

inBrowser("pages have no layout shift, and a text post has few bytes", async () => {
  for (const theme of THEME_NAMES) {
    show.set({ theme });
    await tab.open(show.url + show.pages.gallery, { ...DESKTOP, isDark: false });
    expect(await tab.evaluate<number>(SHIFTS)).toBeLessThan(0.01);
    await tab.open(show.url + show.pages.long, { ...PHONE, isDark: false });
    expect(await tab.evaluate<number>(TRANSFERRED_BYTES)).toBeLessThan(LIGHT);
    expect(tab.requests.filter((address) => !/favicon|icon-|webmanifest|woff2/.test(address))).toHaveLength(
      2,
    );
  }
});

inBrowser("an owner's color is made readable, and a right-to-left blog is laid out that way", async () => {
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
});

inBrowser("shows the player of a sound in a post", async () => {
  const post = await show.at.api("POST", "/posts", {
    post: { content: '<audio controls src="/missing.mp3"></audio>', status: "published" },
  });
  await tab.open(post.body.post.url, { ...PHONE, isDark: false });
  const height = "document.querySelector('.prose audio').getBoundingClientRect().height";
  expect(await tab.evaluate<number>(height)).toBeGreaterThan(40);
});

inBrowser("a post with komments fits a phone with doubled text", async () => {
  await tab.open(show.url + show.pages.long, { ...PHONE, width: NARROWEST, isDark: false });
  await tab.evaluate("document.documentElement.style.fontSize = '200%'");
  expect(await tab.evaluate<number>("document.documentElement.scrollWidth")).toBe(NARROWEST);
});

inBrowser("posts in a language of the other direction keep the columns of a list", async () => {
  const { posts } = (await show.at.api("GET", "/posts")).body;
  for (const [number, language] of ["de", "he"].entries())
    await show.at.api("PATCH", `/posts/${posts[number].id}`, { post: { language } });
  show.set({ language: "ar" });
  for (const theme of ["sans", "mono"]) {
    show.set({ theme });
    await tab.open(show.url, { ...DESKTOP, isDark: false });
    const edges = `[...document.querySelectorAll(".posts time")].map((time) => Math.round(time.getBoundingClientRect().right))`;
    expect([theme, new Set(await tab.evaluate<number[]>(edges)).size]).toEqual([theme, 1]);
  }
});

inBrowser("a picture with the width of the text has it in every theme", async () => {
  const { body } = await show.at.api("GET", "/attachments?limit=1");
  const content = `<p>${"word ".repeat(60)}</p>${body.attachments[0].html.replace("<action-text-attachment", '$& data-width="text"')}`;
  const { post } = (await show.at.api("POST", "/posts", { post: { content, status: "published" } })).body;
  const widths = `["p", "figure"].map((part) => Math.round(document.querySelector(".prose > " + part).getBoundingClientRect().width))`;
  for (const theme of THEME_NAMES) {
    show.set({ theme });
    await tab.open(`${show.url}/${post.slug}`, { width: 1920, height: 1080, isDark: false });
    const [text, picture] = await tab.evaluate<number[]>(widths);
    expect([theme, picture]).toEqual([theme, text]);
  }
});

inBrowser("the chosen header places name and links in every theme", async () => {
  const places = `["name", "ways"].map((part) => document.querySelector("header.site ." + part).getBoundingClientRect())
    .map(({ left, right, top, bottom }) => [left, right, top, bottom])`;
  for (const theme of THEME_NAMES)
    for (const header of ["line", "left", "centered"]) {
      show.set({ theme, design: { header }, navigation: [{ label: "Walks", address: "/category/walks" }] });
      await tab.open(show.url, { ...DESKTOP, isDark: false });
      const [name = [], ways = []] = await tab.evaluate<number[][]>(places);
      const middle = ([left = 0, right = 0]: number[]) => (left + right) / 2;
      const isBeside = (ways[2] as number) < (name[3] as number);
      const isCentered = [name, ways].every((part) => Math.abs(middle(part) - DESKTOP.width / 2) < 2);
      expect([theme, header, isBeside, isCentered]).toEqual([
        theme,
        header,
        header === "line",
        header === "centered",
      ]);
    }
  show.set({ design: { header: "theme" }, navigation: [] });
});

inBrowser("the second line of a byline does not begin with a dot", async () => {
  await tab.open(show.url + show.pages.long, { ...PHONE, isDark: false });
  const dots = `[...document.querySelectorAll(".meta > *")].map((one) =>
    [getComputedStyle(one, "::before").content, getComputedStyle(one, "::after").content !== "none", one === one.parentElement.lastElementChild])`;
  const found = await tab.evaluate<[string, boolean, boolean][]>(dots);
  expect(found.length).toBeGreaterThan(1);
  for (const [before, isDotted, isLast] of found) expect([before, isDotted]).toEqual(["none", !isLast]);
});

inBrowser("dates in a language with long dates do not touch neighboring text", async () => {
  for (const theme of THEME_NAMES) {
    show.set({ theme, language: "es" });
    await tab.open(show.url, { ...DESKTOP, isDark: false });
    expect([theme, await tab.evaluate<string[]>(CROWDED_DATES)]).toEqual([theme, []]);
  }
});

inBrowser(
  "a click on the button of a code block selects the whole code; a part can be selected too",
  async () => {
    await tab.open(show.url + show.pages.code, { ...DESKTOP, isDark: false });
    const code = await tab.evaluate<string>("document.querySelector('pre code').textContent");
    const selected = () => tab.evaluate<string>("getSelection().toString()");
    const drag = async (script: string, width: number) => {
      const { x, y } = await tab.evaluate<{ x: number; y: number }>(
        `(() => { const at = ${script}.getBoundingClientRect(); return { x: at.x + 4, y: at.y + 6 }; })()`,
      );
      const at = { y, button: "left", clickCount: 1 };
      await tab.command("Input.dispatchMouseEvent", { type: "mouseMoved", x, y });
      await tab.command("Input.dispatchMouseEvent", { type: "mousePressed", x, ...at });
      await tab.command("Input.dispatchMouseEvent", { type: "mouseMoved", x: x + width, ...at });
      await tab.command("Input.dispatchMouseEvent", { type: "mouseReleased", x: x + width, ...at });
    };
    await drag("document.querySelector('pre > .select')", 0);
    expect((await selected()).trim()).toBe(code.trim());
    // Otherwise the browser would move the selected text.
    await tab.evaluate("getSelection().removeAllRanges()");
    await drag("document.querySelector('pre code')", 40);
    const part = await selected();
    expect(part).not.toBe("");
    expect(code.length).toBeGreaterThan(part.length);
  },
);

inBrowser("folded content is printed", async () => {
  const isSeen = "document.querySelector('.prose details > :not(summary)').checkVisibility()";
  for (const isPrinted of [false, true]) {
    await tab.open(show.url + show.pages.long, { ...DESKTOP, isDark: false, isPrinted });
    expect(await tab.evaluate<boolean>(isSeen)).toBe(isPrinted);
  }
});

inBrowser("in a mixed list, only tasks lose their bullets", async () => {
  await tab.open(show.url + show.pages.sampler, { ...PHONE, isDark: false });
  const styles =
    "[...document.querySelectorAll('.prose > ul > li')].map((item) => getComputedStyle(item).listStyleType)";
  const [other, ...tasks] = await tab.evaluate<string[]>(styles);
  expect([other === "none", tasks]).toEqual([false, ["none", "none"]]);
});

inBrowser("in a gallery every picture covers its placeholder, and a small one is not enlarged", async () => {
  const page = await (await fetch(show.url + show.pages.gallery)).text();
  // Placeholders are made with the renditions.
  for (const [, folder] of page.matchAll(/data-blur="(\w+)"/g))
    await fetch(`${show.url}/media/${folder}/sizes/thumb.webp`);
  for (const theme of THEME_NAMES) {
    show.set({ theme });
    await tab.open(show.url + show.pages.gallery, { ...DESKTOP, isDark: false });
    const cells =
      await tab.evaluate<{ blur: string; fit: string; width: number; own: number }[]>(GALLERY_CELLS);
    expect(cells).toHaveLength(6);
    for (const { blur, fit, width, own } of cells) {
      expect(blur).toStartWith('url("data:image/webp;base64,');
      expect([own, fit]).toEqual([own, own < 400 ? "scale-down" : "cover"]);
      if (own < 400) expect(width).toBeLessThanOrEqual(512);
    }
  }
});

inBrowser(
  "a script in the page, such as Lighthouse, may read robots.txt and nothing from other hosts",
  async () => {
    await tab.open(show.url, { ...PHONE, isDark: false });
    const read = (address: string) =>
      tab.evaluate<string>(`fetch("${address}").then(({ status }) => String(status), String)`);
    expect(await read("/robots.txt")).toBe("200");
    expect(await read("https://example.org/")).toContain("Failed to fetch");
    expect(tab.complaints.at(-1)).toContain("Content Security Policy");
  },
);

const GALLERY_CELLS = `[...document.querySelectorAll(".gallery .picture")].map((cell) => ({
  blur: getComputedStyle(cell, "::before").backgroundImage,
  fit: getComputedStyle(cell.firstElementChild).objectFit,
  width: cell.getBoundingClientRect().width,
  own: Number(cell.firstElementChild.getAttribute("width")),
}))`;

/** Layout shift while loading and scrolling, on a phone and a desktop. */
async function shiftsOn(pages: Record<string, string>): Promise<string[]> {
  const faults: string[] = [];
  for (const view of [PHONE, DESKTOP])
    for (const [name, path] of Object.entries(pages)) {
      await tab.open(show.url + path, { ...view, isDark: false });
      await tab.evaluate(SCROLL_THROUGH);
      const shift = await tab.evaluate<number>(SHIFTS);
      if (shift > STILL) faults.push(`${name}, ${view.width} wide: moves by ${shift}`);
    }
  return faults;
}

/** Markup that axe has read, without stylesheet URLs: themes rarely differ in more. */
const read = new Set<string>();

/** Errors of axe and the browser, requests to other hosts, and overflow; alternating views and color schemes. */
async function faultsOn(pages: Record<string, string>): Promise<string[]> {
  const faults: string[] = [];
  const isElsewhere = (address: string) =>
    ![show.url, "data:", ...EMBEDDED].some((start) => address.startsWith(start));
  for (const [at, [name, path]] of Object.entries(pages).entries()) {
    const isDark = at % 2 === 1;
    await tab.open(show.url + path, { ...DESKTOP, isDark });
    const markup = await tab.evaluate<string>(
      "document.documentElement.outerHTML.replace(/assets.[^\"]+/g, '')",
    );
    const onDesktop = await faultsIn(tab, read.has(markup) ? LOOKS : undefined);
    read.add(markup);
    await tab.show({ ...PHONE, isDark: !isDark });
    const onPhone = await faultsIn(tab, LOOKS);
    await tab.show({ width: NARROWEST, height: 640, isDark: false });
    const found = [
      ...onDesktop.map((fault) => `desktop: ${fault}`),
      ...onPhone.map((fault) => `phone: ${fault}`),
      ...(await narrowFaults()),
      ...tab.complaints.filter((complaint) => !FAILED.test(complaint)),
      ...tab.requests.filter(isElsewhere).map((address) => `asks ${address}`),
    ];
    for (const fault of found) faults.push(`${name}, ${fault}`);
  }
  return faults;
}

/** Hosts of embedded content, which the tests' browser does not reach. */
const EMBEDDED = ["https://example.org/", "https://www.youtube-nocookie.com/"];
/** Expected errors: error pages, and content of other hosts. */
const FAILED =
  /^Failed to load resource: (the server responded with a status of [45]|net::ERR_NAME_NOT_RESOLVED)/;

/** Overflow at the narrowest width: the page, dates on two lines, boxes that the keyboard cannot scroll. */
async function narrowFaults(): Promise<string[]> {
  const width = await tab.evaluate<number>("document.documentElement.scrollWidth");
  return [
    ...(width > NARROWEST ? [`is ${width} wide`] : []),
    ...(await tab.evaluate<string[]>(UNREACHABLE)).map((box) => `no key reaches ${box}`),
    ...(await tab.evaluate<string[]>(BROKEN_DATES)).map((date) => `${date} is on two lines`),
  ];
}

/** Texts closer than this, in pixels, look like one. */
const CLEAR = 8;
const CROWDED_DATES = `[...document.querySelectorAll("article")].flatMap((article) => {
  const [date, text] = ["time", "h2, .prose, .context"].map((part) => article.querySelector(part)?.getBoundingClientRect());
  const isBeside = date && text && date.top < text.bottom && date.bottom > text.top;
  const isClear = date && text && (date.right + ${CLEAR} <= text.left || text.right + ${CLEAR} <= date.left);
  return isBeside && !isClear ? [article.innerText.slice(0, 80)] : [];
})`;
const BROKEN_DATES = `[...document.querySelectorAll("time")].filter((time) => time.getClientRects().length > 1).map((time) => time.textContent)`;
