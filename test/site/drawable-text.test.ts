import { expect, test } from "bun:test";
import { drawable, initialOf } from "../../src/site/images/drawn-images";

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
