import { expect, test } from "bun:test";
import type { Refusal } from "../../src/errors";
import { callOf } from "../../src/http/requests/call";
import { throttle, throttleClient } from "../../src/http/requests/rate-limits";
import { DAY, MINUTE, SECOND, startPlaten, type TestPlaten } from "../support/platen";

const LIMIT = { most: 3, within: MINUTE };

const attempt = ({ platen }: TestPlaten, key: string) => waitAfter(() => throttle(platen, LIMIT, key));

/** Seconds to wait; 0 if the attempt was allowed. */
function waitAfter(attempt: () => void): number {
  try {
    attempt();
    return 0;
  } catch (refusal) {
    return (refusal as Refusal).retryAfter as number;
  }
}

test("a number of attempts is allowed at once, then one per interval", () => {
  const at = startPlaten();
  expect([1, 2, 3, 4].map(() => attempt(at, "one"))).toEqual([0, 0, 0, 20]);
  at.pass(19 * SECOND);
  expect(attempt(at, "one")).toBe(1);
  at.pass(SECOND);
  expect([attempt(at, "one"), attempt(at, "one")]).toEqual([0, 20]);
});

test("a clock set back by a year locks nobody out", () => {
  const at = startPlaten();
  for (let count = 0; count < 3; count++) attempt(at, "one");
  at.pass(-365 * DAY);
  expect([1, 2, 3, 4].map(() => attempt(at, "one"))).toEqual([0, 0, 0, 20]);
});

test("clients are limited separately", () => {
  const at = startPlaten();
  for (let count = 0; count < 4; count++) attempt(at, "one");
  expect(attempt(at, "two")).toBe(0);
});

test("attempts are counted exactly, however many clients there are", () => {
  const at = startPlaten();
  for (let count = 0; count < 3; count++) attempt(at, "one");
  for (let other = 0; other < 90_000; other++) attempt(at, `other ${other}`);
  expect(attempt(at, "one")).toBe(20);
  at.pass(MINUTE);
  expect(attempt(at, "one")).toBe(0);
});

test("clients over the limit leave other clients unaffected", () => {
  const at = startPlaten();
  for (let other = 0; other < 40_000; other++) attempt(at, `other ${other % 10_000}`);
  const newcomers = Array.from({ length: 1000 }, (_, at) => `newcomer ${at}`);
  expect(newcomers.filter((newcomer) => attempt(at, newcomer) > 0)).toEqual([]);
});

test("each rate limit counts its clients separately", () => {
  const at = startPlaten();
  for (let count = 0; count < 4; count++) attempt(at, "one");
  expect(() => throttle(at.platen, { ...LIMIT }, "one")).not.toThrow();
});

test("an IPv6 subscriber counts as one client with all its addresses; a /48 counts as four", () => {
  const at = startPlaten();
  const attemptFrom = (address: string) => {
    const sockets = { requestIP: () => ({ address }) };
    const call = callOf(at.platen, new Request("http://blog.test/"), sockets);
    return waitAfter(() => throttleClient(call, LIMIT));
  };
  const subscriber = [
    "2001:db8:1:2:3::4",
    "2001:db8:1:2:ffff::",
    "2001:0db8:0001:0002::1",
    "2001:db8:1:2::9",
  ];
  expect(subscriber.map(attemptFrom)).toEqual([0, 0, 0, 20]);
  expect(["2001:db8:2::1", "2001:db8:2::2", "203.0.113.7"].map(attemptFrom)).toEqual([0, 0, 0]);
  const neighbours = Array.from({ length: 10 }, (_, at) => `2001:db8:1:${at + 16}::1`);
  expect(neighbours.map(attemptFrom)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 5]);
});
