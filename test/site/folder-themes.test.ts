import { expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { configureBlog } from "../../src/blogs/blog-settings";
import { diagnose } from "../../src/upkeep/doctor";
import { startOwned } from "../admin/owner";
import { SECOND, startPlaten, type TestPlaten } from "../support/platen";
import { page } from "./posting";

const THEME_PAGE = "/admin/blogs/ada/settings/theme";

function putTheme(at: TestPlaten, name: string, files: Record<string, string>): void {
  const folder = join(at.platen.config.data, "themes", name);
  mkdirSync(folder, { recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
  at.pass(11 * SECOND);
}

async function fetchStylesheet(at: TestPlaten): Promise<string> {
  const [, path = ""] = /<link rel="stylesheet" href="([^"]+)"/.exec(await page(at, "/")) ?? [];
  return page(at, path);
}

test("a folder in themes/ is a theme that can be chosen, and is reloaded when its files change", async () => {
  const at = await startOwned();
  putTheme(at, "quarto", {
    "theme.css": ":root{--radius:9px}.site .name{letter-spacing:2px}",
    "theme.json": '{"description":"wide letters","extends":"sans","fonts":"journal","measure":30}',
  });
  const choice = await (await at.browser.get(THEME_PAGE)).text();
  expect(choice).toContain('value="quarto"');
  expect(choice).toContain("wide letters");
  expect((await at.browser.post(THEME_PAGE, { theme: "quarto", accent: "" })).status).toBe(303);
  expect(await page(at, "/")).toContain("/assets/fonts/eb-garamond-normal");
  const css = await fetchStylesheet(at);
  expect(css).toContain("--rail");
  expect(css).toContain("--measure:30rem");
  expect(css.indexOf("letter-spacing:2px")).toBeGreaterThan(css.indexOf("--rail"));
  putTheme(at, "quarto", { "theme.css": ".site .name{letter-spacing:3px}" });
  expect(await fetchStylesheet(at)).toContain("letter-spacing:3px");
  rmSync(join(at.platen.config.data, "themes"), { recursive: true });
  at.pass(11 * SECOND);
  expect(await fetchStylesheet(at)).toContain("Literata Variable");
});

test("disallowed parts of a theme are removed; log, doctor and design page report it", async () => {
  const at = await startOwned();
  putTheme(at, "quarto", {
    "theme.css":
      "@import url(https://other.example/x.css);\np{background:url(https://other.example/x.png);color:teal}",
  });
  configureBlog(at.platen, at.blog, { theme: "quarto" });
  const css = await fetchStylesheet(at);
  expect(css).toContain("color:teal");
  expect(css).not.toContain("other.example");
  const sentence = "themes/quarto/theme.css: Line 1 was removed: @import may not be used.";
  expect(at.log).toContain(sentence);
  expect(await (await at.browser.get(THEME_PAGE)).text()).toContain(sentence);
  expect((await diagnose(at.platen)).map(({ message }) => message)).toContain(sentence);
});

const REJECTED: [name: string, files: Record<string, string>, why: string][] = [
  ["serif", { "theme.css": "p{}" }, "Platen has a theme with this name; rename the folder"],
  ["My Theme", { "theme.css": "p{}" }, "its name must be at most 30 small letters, digits and hyphens"],
  ["quarto", { "theme.json": "{}" }, "theme.css is missing"],
  ["quarto", { "theme.css": "p{}".repeat(70_000) }, "theme.css is larger than 200000 bytes"],
  ["quarto", { "theme.css": "p{}", "theme.json": "{" }, "theme.json is not a JSON object"],
  ["quarto", { "theme.css": "p{}", "theme.json": '{"color":"red"}' }, 'theme.json has "color"; it may have'],
  [
    "quarto",
    { "theme.css": "p{}", "theme.json": '{"accent":"red"}' },
    "accent in theme.json must be a color",
  ],
  ["quarto", { "theme.css": "p{}", "theme.json": '{"wide":900}' }, "wide in theme.json must be a number"],
  ["quarto", { "theme.css": "p{}", "theme.json": '{"extends":"gone"}' }, "extends in theme.json must be one"],
];

for (const [name, files, why] of REJECTED)
  test(`a folder themes/${name} is not used, and log and doctor say why: ${why}`, async () => {
    const at = startPlaten();
    putTheme(at, name, files);
    await page(at, "/");
    expect(at.log).toEqual([expect.stringContaining(`themes/${name} is not used: ${why}`)]);
    const found = await diagnose(at.platen);
    expect(found.find(({ about }) => about === "themes")).toMatchObject({ state: "warning" });
    if (name !== "serif") expect(() => configureBlog(at.platen, at.blog, { theme: name })).toThrow();
  });

test("a blog whose theme is missing has the standard theme, and doctor says how to repair it", async () => {
  const at = startPlaten();
  putTheme(at, "quarto", { "theme.css": "p{color:teal}" });
  configureBlog(at.platen, at.blog, { theme: "quarto" });
  rmSync(join(at.platen.config.data, "themes/quarto"), { recursive: true });
  at.pass(11 * SECOND);
  expect(await fetchStylesheet(at)).toContain("Literata Variable");
  expect((await diagnose(at.platen)).find(({ about }) => about === "themes")).toMatchObject({
    state: "error",
    advice: expect.stringContaining("platen blog set ada --theme NAME"),
  });
});
