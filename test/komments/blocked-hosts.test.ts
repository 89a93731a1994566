import { expect, test } from "bun:test";
import { blockHost, isHostBlocked } from "../../src/komments/blocked-words-and-hosts";
import { startPlaten } from "../support/platen";

test("a host of thousands of labels is checked at once, and its domain stays blocked", () => {
  const at = startPlaten();
  blockHost(at.platen, at.blog, "spam.example");
  const began = performance.now();
  expect(isHostBlocked(at.platen, at.blog, `${"a.".repeat(10_000)}spam.example:8080`)).toBe(true);
  expect(isHostBlocked(at.platen, at.blog, `${"a.".repeat(10_000)}tea.example`)).toBe(false);
  expect(performance.now() - began).toBeLessThan(1000);
});
