import { expect, test } from "bun:test";
import { excerpt } from "../../src/site/text/excerpt";

test("a short text stays as it is, on one line", () => {
  expect(excerpt("  One\n\n two ", 7)).toBe("One two");
});

test("a longer one ends with a whole word and no stray comma", () => {
  expect(excerpt("One, two, three", 10)).toBe("One, two…");
});

test("a single long word is cut in the middle, and never inside an emoji", () => {
  expect(excerpt("🦊".repeat(20), 5)).toBe(`${"🦊".repeat(5)}…`);
});
