import { diffWordsWithSpace } from "diff";
import { type Html, html } from "../../text/html";

/** CPU time limit for a comparison, in milliseconds. */
const COMPARE_TIMEOUT_MS = 50;
/** Maximum characters from the first difference to the last. */
const MAX_COMPARED_LENGTH = 200_000;

/**
 * Marks deleted and inserted words. Long unchanged passages are shortened.
 * @returns null if the texts differ too much
 */
export function wordDiff(before: string, after: string): Html | null {
  const words = changedWords(before, after, COMPARE_TIMEOUT_MS);
  return words && html`<div class="diff">${words}</div>`;
}

export function changedWords(before: string, after: string, within: number): Html | null {
  const first = sameAtStart(before, after);
  const last = sameAtEnd(before.slice(first), after.slice(first));
  const [old, now] = [before, after].map((text) => text.slice(first, text.length - last)) as [string, string];
  if (old.length + now.length > MAX_COMPARED_LENGTH) return null;
  const differences = comparedWithin(within, (timeout) => diffWordsWithSpace(old, now, { timeout }));
  if (!differences) return null;
  const same = (value: string) => (value === "" ? [] : [{ value, added: false, removed: false }]);
  const changes = joinedSame([
    ...same(before.slice(0, first)),
    ...differences,
    ...same(before.slice(before.length - last)),
  ]);
  return html`${changes.map(({ value, added, removed }, index) => {
    if (added) return html`<ins>${value}</ins>`;
    if (removed) return html`<del>${value}</del>`;
    return abridged(value, index > 0, index < changes.length - 1);
  })}`;
}

type Change = Pick<ReturnType<typeof diffWordsWithSpace>[number], "value" | "added" | "removed">;

function joinedSame(changes: Change[]): Change[] {
  const joined: Change[] = [];
  for (const change of changes) {
    const before = joined.at(-1);
    const isSame = !change.added && !change.removed;
    if (before && isSame && !before.added && !before.removed)
      joined[joined.length - 1] = { ...before, value: before.value + change.value };
    else joined.push(change);
  }
  return joined;
}

function sameAtStart(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  const same = longestHolding(most, (length) => one.slice(0, length) === other.slice(0, length));
  return same === 0 ? 0 : one.lastIndexOf("\n", same - 1) + 1;
}

function sameAtEnd(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  const same = longestHolding(most, (length) => length === 0 || one.slice(-length) === other.slice(-length));
  const at = one.indexOf("\n", one.length - same);
  return same === 0 || at < 0 ? 0 : one.length - at;
}

function longestHolding(most: number, holds: (length: number) => boolean): number {
  let [from, to] = [0, most];
  while (from < to) {
    const middle = Math.ceil((from + to) / 2);
    if (holds(middle)) from = middle;
    else to = middle - 1;
  }
  return from;
}

/** Characters shown before and after a shortened passage. */
const SHOWN_AROUND = 160;

export function abridged(text: string, hasBefore: boolean, hasAfter: boolean): string {
  const first = hasBefore ? SHOWN_AROUND : 0;
  const last = hasAfter ? SHOWN_AROUND : 0;
  if (text.length <= first + last + SHOWN_AROUND) return text;
  return `${text.slice(0, first)} … ${last ? text.slice(-last) : ""}`;
}

export function threadTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

export function comparedWithin<Found>(
  most: number,
  compare: (timeout: number) => Found | undefined,
): Found | undefined {
  const until = threadTime() + most;
  for (let left = most; left > 0; left = until - threadTime()) {
    const found = compare(left);
    if (found) return found;
  }
}
