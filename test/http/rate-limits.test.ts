import { expect, test } from "bun:test";
import type { Refusal } from "../../src/errors";
import { throttle, throttledSource } from "../../src/http/requests/rate-limits";
import { MINUTE, SECOND, startPlaten, type TestPlaten } from "../support/platen";

/** Seconds to wait; 0 where the attempt was let through. */
function attempt({ platen }: TestPlaten, key: string): number {
  try {
    throttle(platen, { key, most: 3, within: MINUTE });
    return 0;
  } catch (refusal) {
    return (refusal as Refusal).retryAfter as number;
  }
}

test("so many attempts at once, then one each time the span allows one more", () => {
  const at = startPlaten();
  expect([1, 2, 3, 4].map(() => attempt(at, "one"))).toEqual([0, 0, 0, 20]);
  at.pass(19 * SECOND);
  expect(attempt(at, "one")).toBe(1);
  at.pass(SECOND);
  expect([attempt(at, "one"), attempt(at, "one")]).toEqual([0, 20]);
});

test("one client's attempts are no concern of another's", () => {
  const at = startPlaten();
  for (let count = 0; count < 4; count++) attempt(at, "one");
  expect(attempt(at, "two")).toBe(0);
});

test("ten thousand are remembered; with one more the one unused for longest is forgotten", () => {
  const at = startPlaten();
  for (let count = 0; count < 3; count++) attempt(at, "one");
  for (let other = 0; other < 9_999; other++) attempt(at, `other ${other}`);
  expect(attempt(at, "one")).toBe(20);
  attempt(at, "one too many");
  expect(attempt(at, "one")).toBe(0);
});

test("an IPv6 subscriber counts as one, whichever address they come from", () => {
  expect(throttledSource("2001:db8:1:2:3::4")).toBe(throttledSource("2001:db8:1:2:ffff::"));
  expect(throttledSource("2001:db8::4")).toBe("2001:db8:0:0");
  expect(throttledSource("2001:db8:1:3::4")).not.toBe(throttledSource("2001:db8:1:2::4"));
  expect(throttledSource("203.0.113.7")).toBe("203.0.113.7");
});
