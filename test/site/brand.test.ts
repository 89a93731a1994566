import { expect, test } from "bun:test";
import { THEMES } from "../../src/blogs/blog-settings";
import { accentOf, drawable, initialOf, inkOn } from "../../src/site/themes/brand";

test("what the font has letters for can be drawn, without its emoji; the rest cannot", () => {
  for (const text of ["Plain – “quoted”, 100 %", "Żółć é ﬁ", "Ελλάδα", "Привет", "naïve… €5"])
    expect(drawable(text)).toBe(text);
  expect(drawable("Hi 👩‍👩‍👧 there 🇫🇷!")).toBe("Hi there !");
  for (const text of ["漢字", "שלום", "Hello「world」", "١٢٣", "🦊", ""]) expect(drawable(text)).toBeNull();
});

test("a name's initial is its first letter, whole", () => {
  expect(initialOf("“élan”")).toBe("É");
  expect(initialOf("e\u0301lan")).toBe("E\u0301");
  expect(initialOf("🦊 42")).toBe("4");
  expect(initialOf("…")).toBe("");
});

test("what is written on a colour can be read", () => {
  expect(inkOn("#8a3b12")).toBe("#ffffff");
  expect(inkOn("#ffe08a")).toBe("#24211d");
});

test("pictures are in the colour of the blog's theme, or in the owner's", async () => {
  for (const theme of THEMES) {
    const css = await Bun.file(`src/site/themes/${theme}/${theme}.css`).text();
    expect(css).toContain(`--accent: ${accentOf({ theme, accent: "" })};`);
    expect(accentOf({ theme, accent: "#123456" })).toBe("#123456");
  }
});
