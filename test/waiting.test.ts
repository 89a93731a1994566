import { afterEach, expect, jest, test } from "bun:test";
import { inBrowser, openBrowser, tab } from "./support/browser-tab";
import { MINUTE } from "./support/platen";
import { until, waitFor } from "./support/waiting";

openBrowser("error messages of waits in a page");
afterEach(() => void jest.useRealTimers());

/** @returns the message after the time limit */
async function messageAfterTimeout(wait: () => Promise<unknown>): Promise<string> {
  jest.useFakeTimers();
  const message = wait().then(
    () => "It came.",
    (fault) => String(fault),
  );
  jest.advanceTimersByTime(MINUTE);
  return await message;
}

test("a wait that fails describes the current state", async () => {
  const never = new Promise<void>(() => {});
  expect(await messageAfterTimeout(() => waitFor(never, "the moon", () => "clouds"))).toBe(
    "Error: Timed out waiting for the moon. Current state: clouds",
  );
  const throwError = () => {
    throw new Error("no telescope");
  };
  expect(await messageAfterTimeout(() => until(() => false, "the moon", throwError))).toEndWith(
    "Current state: Error: no telescope",
  );
});

test("a wait ends with the result, and an exception ends it at once", async () => {
  let looks = 0;
  expect(await until(() => ++looks > 3 && looks, "the fourth look")).toBe(4);
  expect(waitFor(Promise.reject(new Error("broken")), "the moon")).rejects.toThrow("broken");
});

inBrowser("a wait in a page that fails describes URL and content of the page", async () => {
  await tab.open("data:text/html,<p>Clouds", { width: 320, height: 200, isDark: false });
  const message = await messageAfterTimeout(() => tab.until("moon.isUp"));
  expect(message).toStartWith("Error: Timed out waiting for moon.isUp. Current state: a page at data:");
  expect(message).toContain("Clouds");
  expect(message).toContain("moon is not defined");
});
