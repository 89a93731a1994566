import { diffWordsWithSpace } from "diff";
import { type Html, html } from "../../html";

/** How long comparing may hold up the others, in milliseconds. */
const COMPARED_WITHIN = 100;
/** Of what stays the same beside what does not, in characters. */
const SHOWN_AROUND = 160;

/** What was, struck through, and what is, marked; long texts that are the same in both are left out. Null: they differ too much. */
export function wordDiff(before: string, after: string): Html | null {
  const changes = diffWordsWithSpace(before, after, { timeout: COMPARED_WITHIN });
  if (!changes) return null;
  return html`<div class="diff">${changes.map(({ value, added, removed }, index) => {
    if (added) return html`<ins>${value}</ins>`;
    if (removed) return html`<del>${value}</del>`;
    return abridged(value, index > 0, index < changes.length - 1);
  })}</div>`;
}

/** Without its middle, where it is long. */
export function abridged(text: string, hasBefore: boolean, hasAfter: boolean): string {
  const first = hasBefore ? SHOWN_AROUND : 0;
  const last = hasAfter ? SHOWN_AROUND : 0;
  if (text.length <= first + last + SHOWN_AROUND) return text;
  return `${text.slice(0, first)} … ${last ? text.slice(-last) : ""}`;
}
