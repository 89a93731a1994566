import { expect, test } from "bun:test";
import { configureBlog } from "../../src/blogs/blog-settings";
import { startOwned } from "../admin/owner";
import { page, post } from "./posting";

const DESIGN = "/admin/blogs/ada/settings/theme";
const FILE = "/admin/blogs/ada/settings/design.json";
const sheetIn = (markup: string) => /<link rel="stylesheet" href="([^"]+)"/.exec(markup)?.[1] as string;

test("design choices set custom properties before the blog's CSS, and the preloaded fonts", async () => {
  const at = await startOwned();
  await post(at, { title: "Tea", content: "<p>Water.</p>" });
  expect(await page(at, "/")).toContain("/assets/fonts/literata-normal");
  const saved = await at.browser.post(DESIGN, {
    theme: "serif",
    accent: "",
    background: "#eef3ee",
    fonts: "journal",
    size: "large",
    width: "narrow",
    spacing: "airy",
    corners: "round",
    list: "titles",
    dates: "short",
  });
  expect(saved.status).toBe(303);
  const home = await page(at, "/");
  expect(home).toContain("/assets/fonts/eb-garamond-normal");
  expect(home).not.toContain("literata");
  expect(home).toMatch(/<time[^>]*>3\/1\/26</);
  const css = await page(at, sheetIn(home));
  for (const rule of [
    '--font-body:"EB Garamond Variable",serif',
    "--size-factor:1.12",
    "--measure:28.38rem",
    "--density:1.2",
    "--radius:0.6rem",
    "--background:#eef3ee",
    ".posts .p-summary{display:none}",
  ])
    expect(css).toContain(rule);
  expect((await at.api("GET", "/blogs/1")).body.blog.design).toMatchObject({ size: "large", list: "titles" });
});

test("the header has the chosen style, and the footer the owner's links, also in the preview", async () => {
  const at = await startOwned();
  const look = "/admin/blogs/ada/look/home";
  const footerLinks = "About me=/about\r\nMail=mailto:ada@example.com";
  const query = new URLSearchParams({ theme: "sans", header: "centered", footerLinks });
  const tried = await (await at.browser.get(`${look}?${query}`)).text();
  expect(tried).toContain('<body data-header="centered">');
  expect(tried).toContain('href="mailto:ada@example.com" lang="en">Mail</a>');
  expect(await page(at, "/")).not.toContain("data-header");
  const saved = await at.browser.post(DESIGN, { theme: "sans", accent: "", header: "line", footerLinks });
  expect(saved.status).toBe(303);
  const home = await page(at, "/");
  expect(home).toContain('<body data-header="line">');
  expect(home).toContain('<a href="/about" lang="en">About me</a>');
  expect(home).not.toContain('href="/feed.xml">RSS');
  expect((await (await at.browser.get(FILE)).json()).design).toMatchObject({
    header: "line",
    footerLinks: "About me=/about\nMail=mailto:ada@example.com",
  });
  const emptied = await (await at.browser.get(`${look}?theme=sans`)).text();
  expect(emptied).toContain('href="/feed.xml">RSS');
  for (const wrong of ["About", "=/about", "Evil=javascript:alert(1)", "Evil=//other.example"]) {
    const answer = await at.browser.post(DESIGN, { theme: "sans", accent: "", footerLinks: wrong });
    expect([answer.status, await answer.text()]).toEqual([
      422,
      expect.stringContaining("must be lines like"),
    ]);
    const shown = await at.browser.get(
      `${look}?${new URLSearchParams({ theme: "sans", footerLinks: wrong })}`,
    );
    expect(await shown.text()).toContain('href="/feed.xml">RSS');
  }
});

test("lists show full posts, titles or covers as chosen", async () => {
  const at = await startOwned();
  await post(at, { title: "Tea", content: "<p>Water <b>first</b>.</p>" });
  expect(await page(at, "/")).not.toContain("<b>first</b>");
  configureBlog(at.platen, at.blog, { design: { list: "full" } });
  expect(await page(at, "/")).toContain("<b>first</b>");
  expect(await page(at, "/search?q=water")).not.toContain("<b>first</b>");
  configureBlog(at.platen, at.blog, { design: { list: "excerpts" } });
  expect(await page(at, "/")).toContain('<p class="p-summary">Water first.</p>');
});

test("an invalid design is reported at its field and changes nothing", async () => {
  const at = await startOwned();
  for (const [name, value] of [
    ["size", "huge"],
    ["background", "red"],
    ["fonts", "comic"],
  ] as const) {
    const answer = await at.browser.post(DESIGN, { theme: "serif", accent: "", [name]: value });
    expect([answer.status, await answer.text()]).toEqual([422, expect.stringContaining("must be")]);
    expect(() => configureBlog(at.platen, at.blog, { design: { [name]: value } })).toThrow();
  }
  expect((await at.api("GET", "/blogs/1")).body.blog.design).toEqual({});
});

test("a design is exported as one file, and imported into another blog", async () => {
  const at = await startOwned();
  configureBlog(at.platen, at.blog, {
    theme: "mono",
    accent: "#1d6b57",
    css: "a{color:teal}",
    design: { width: "wide" },
  });
  const answer = await at.browser.get(FILE);
  expect(answer.headers.get("content-disposition")).toContain("attachment");
  const file = await answer.text();
  configureBlog(at.platen, at.blog, {
    theme: "serif",
    accent: "",
    css: "",
    design: { size: "large", background: "#d0e0ff", related: true },
  });
  expect((await at.browser.post(FILE, { file })).status).toBe(303);
  expect((await at.api("GET", "/blogs/1")).body.blog).toMatchObject({
    theme: "mono",
    accent: "#1d6b57",
    design: { width: "wide", size: "medium", background: "", related: false },
  });
  for (const wrong of [
    "{}",
    "no JSON",
    '{"platen_design":1,"theme":"nonsense"}',
    '{"platen_design":1,"design":{"size":"huge"}}',
  ]) {
    const rejected = await at.browser.post(FILE, { file: wrong });
    expect(rejected.status).toBe(422);
    expect(await rejected.text()).toContain(`${Bun.escapeHTML(wrong)}</textarea>`);
  }
});
