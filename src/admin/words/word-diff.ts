import { diffWordsWithSpace } from "diff";
import { type Html, html } from "../../text/html";

const WORD_DIFF_MS = 200;
/** In characters, from the first difference to the last. */
const MAX_DIFF_LENGTH = 200_000;
/** Unchanged characters shown before and after a change. */
const CONTEXT_LENGTH = 160;

type Change = Pick<ReturnType<typeof diffWordsWithSpace>[number], "value" | "added" | "removed">;

/** Marks deleted and inserted words. Long unchanged passages are shortened. @returns null if the texts differ too much */
export function wordDiff(before: string, after: string): Html | null {
  const words = changedWords(before, after, WORD_DIFF_MS);
  return words && html`<div class="diff">${words}</div>`;
}

/** @param timeout in milliseconds */
export function changedWords(before: string, after: string, timeout: number): Html | null {
  const first = commonStart(before, after);
  const last = commonEnd(before.slice(first), after.slice(first));
  const [old, now] = [before, after].map((text) => text.slice(first, text.length - last)) as [string, string];
  if (old.length + now.length > MAX_DIFF_LENGTH) return null;
  const differences = diffWordsWithSpace(old, now, { timeout });
  if (!differences) return null;
  const same = (value: string) => (value === "" ? [] : [{ value, added: false, removed: false }]);
  const changes = joinUnchanged([
    ...same(before.slice(0, first)),
    ...differences,
    ...same(before.slice(before.length - last)),
  ]);
  return html`${changes.map(({ value, added, removed }, index) => {
    if (added) return html`<ins>${value}</ins>`;
    if (removed) return html`<del>${value}</del>`;
    return shortenMiddle(value, index > 0, index < changes.length - 1);
  })}`;
}

export function shortenMiddle(text: string, hasBefore: boolean, hasAfter: boolean): string {
  const first = hasBefore ? CONTEXT_LENGTH : 0;
  const last = hasAfter ? CONTEXT_LENGTH : 0;
  if (text.length <= first + last + CONTEXT_LENGTH) return text;
  return `${text.slice(0, first)} … ${last ? text.slice(-last) : ""}`;
}

function joinUnchanged(changes: Change[]): Change[] {
  const result: Change[] = [];
  for (const change of changes) {
    const before = result.at(-1);
    if (before && !(change.added || change.removed || before.added || before.removed))
      result[result.length - 1] = { ...before, value: before.value + change.value };
    else result.push(change);
  }
  return result;
}

/** Length of the common start, in whole lines. */
function commonStart(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length === 0 ? 0 : one.lastIndexOf("\n", length - 1) + 1;
}

/** Length of the common end, in whole lines. */
function commonEnd(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one.at(-1 - length) === other.at(-1 - length)) length++;
  const at = one.indexOf("\n", one.length - length);
  return length === 0 || at < 0 ? 0 : one.length - at;
}
