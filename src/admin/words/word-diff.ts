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
  const words = markWordChanges(before, after, COMPARE_TIMEOUT_MS);
  return words && html`<div class="diff">${words}</div>`;
}

function markWordChanges(before: string, after: string, within: number): Html | null {
  const first = commonStartLength(before, after);
  const last = commonEndLength(before.slice(first), after.slice(first));
  const [old, now] = [before, after].map((text) => text.slice(first, text.length - last)) as [string, string];
  if (old.length + now.length > MAX_COMPARED_LENGTH) return null;
  const differences = compareWithTimeout(within, (timeout) => diffWordsWithSpace(old, now, { timeout }));
  if (!differences) return null;
  const same = (value: string) => (value === "" ? [] : [{ value, added: false, removed: false }]);
  const changes = mergeUnchanged([
    ...same(before.slice(0, first)),
    ...differences,
    ...same(before.slice(before.length - last)),
  ]);
  return html`${changes.map(({ value, added, removed }, index) => {
    if (added) return html`<ins>${value}</ins>`;
    if (removed) return html`<del>${value}</del>`;
    return abridge(value, index > 0, index < changes.length - 1);
  })}`;
}

type Change = Pick<ReturnType<typeof diffWordsWithSpace>[number], "value" | "added" | "removed">;

function mergeUnchanged(changes: Change[]): Change[] {
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

/** Length of the equal lines at the start. */
function commonStartLength(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  return at === 0 ? 0 : one.lastIndexOf("\n", at - 1) + 1;
}

/** Length of the equal lines at the end. */
function commonEndLength(one: string, other: string): number {
  let same = 0;
  while (same < one.length && same < other.length && one.at(-1 - same) === other.at(-1 - same)) same++;
  const at = one.indexOf("\n", one.length - same);
  return at < 0 ? 0 : one.length - at;
}

/** Number of characters of a long unchanged passage that are shown next to a change. */
const SHOWN_AROUND = 160;

export function abridge(text: string, hasBefore: boolean, hasAfter: boolean): string {
  const first = hasBefore ? SHOWN_AROUND : 0;
  const last = hasAfter ? SHOWN_AROUND : 0;
  if (text.length <= first + last + SHOWN_AROUND) return text;
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
