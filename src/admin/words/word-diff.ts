import { diffWordsWithSpace } from "diff";
import { type Html, html } from "../../text/html";

const COMPARE_TIMEOUT_MS = 50;
const MAX_COMPARED_LENGTH = 400_000;

/**
 * Shortens long unchanged passages.
 * @returns null if the texts are too long or comparing them takes too long
 */
export function wordDiff(before: string, after: string): Html | null {
  if (before.length + after.length > MAX_COMPARED_LENGTH) return null;
  const changes = compareWithTimeout(COMPARE_TIMEOUT_MS, (timeout) =>
    diffWordsWithSpace(before, after, { timeout }),
  );
  if (!changes) return null;
  const words = changes.map(({ value, added, removed }, index) => {
    if (added) return html`<ins>${value}</ins>`;
    if (removed) return html`<del>${value}</del>`;
    return abridge(value, index > 0, index < changes.length - 1);
  });
  return html`<div class="diff">${words}</div>`;
}

const CONTEXT_LENGTH = 160;

export function abridge(text: string, hasBefore: boolean, hasAfter: boolean): string {
  const first = hasBefore ? CONTEXT_LENGTH : 0;
  const last = hasAfter ? CONTEXT_LENGTH : 0;
  if (text.length <= first + last + CONTEXT_LENGTH) return text;
  return `${text.slice(0, first)} … ${last ? text.slice(-last) : ""}`;
}

export function threadTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

export function compareWithTimeout<Found>(
  most: number,
  compare: (timeout: number) => Found | undefined,
): Found | undefined {
  const until = threadTime() + most;
  for (let left = most; left > 0; left = until - threadTime()) {
    const found = compare(left);
    if (found) return found;
  }
}
