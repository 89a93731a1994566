import { expect, test } from "bun:test";
import { drawable, initialOf } from "../../src/site/images/title-cards-and-icons";

test("text is drawable if the font has its letters, without emoji", () => {
  for (const text of ["Plain – “quoted”, 100 %", "Żółć é ﬁ", "Ελλάδα", "Привет", "naïve… €5"])
    expect(drawable(text)).toBe(text);
  expect(drawable("Hi 👩‍👩‍👧 there 🇫🇷!")).toBe("Hi there !");
  for (const text of ["漢字", "שלום", "Hello「world」", "١٢٣", "🦊", ""]) expect(drawable(text)).toBeNull();
});

test("the initial of a name is its first complete letter", () => {
  expect(initialOf("“élan”")).toBe("É");
  expect(initialOf("e\u0301lan")).toBe("E\u0301");
  expect(initialOf("🦊 42")).toBe("4");
  expect(initialOf("…")).toBe("");
});
