import { diffArrays } from "diff";
import type { ContentBlock } from "../../posts/content/content-blocks";
import { type Html, html } from "../../text/html";
import { changedWords, comparedWithin, threadTime } from "../words/word-diff";

/** CPU time limits in milliseconds: one for all blocks, one for all words. */
const BLOCKS_COMPARED_WITHIN = 100;
const WORDS_COMPARED_WITHIN = 200;
const MAX_CHANGED_BLOCKS = 500;
/** Number of unchanged blocks shown before and after a changed block. */
const CONTEXT = 1;

type ThumbnailOf = (sgid: string) => string | null | undefined;

interface ComparedBlock {
  before?: ContentBlock;
  after?: ContentBlock;
}

/** @returns null if the texts differ too much */
export function blockDiff(
  before: ContentBlock[],
  after: ContentBlock[],
  thumbnailOf: ThumbnailOf,
): Html | null {
  const compared = compareBlocks(before, after);
  if (!compared) return null;
  const changed = compared.flatMap((block, index) => (isSame(block) ? [] : [index]));
  if (changed.length > MAX_CHANGED_BLOCKS) return null;
  const shown = new Set(
    changed.flatMap((index) =>
      Array.from({ length: 2 * CONTEXT + 1 }, (_, offset) => index - CONTEXT + offset),
    ),
  );
  const until = threadTime() + WORDS_COMPARED_WITHIN;
  return html`<div class="diff blocks">${compared.map((block, index) => {
    if (shown.has(index)) return shownBlock(block, thumbnailOf, until);
    return index === 0 || shown.has(index - 1) ? html`<p class="left-out">…</p>` : "";
  })}</div>`;
}

function compareBlocks(before: ContentBlock[], after: ContentBlock[]): ComparedBlock[] | null {
  const options = { comparator: isEqual };
  const changes = comparedWithin(BLOCKS_COMPARED_WITHIN, (timeout) =>
    diffArrays(before, after, { ...options, timeout }),
  );
  if (!changes) return null;
  const compared: ComparedBlock[] = [];
  let removed: ContentBlock[] = [];
  for (const change of changes) {
    if ((change.removed || change.added) && change.value.length > MAX_CHANGED_BLOCKS) return null;
    if (change.removed) removed = change.value;
    else if (change.added) {
      compared.push(...pairBlocks(removed, change.value));
      removed = [];
    } else {
      compared.push(...pairBlocks(removed, []));
      removed = [];
      for (const block of change.value) compared.push({ before: block, after: block });
    }
  }
  return [...compared, ...pairBlocks(removed, [])];
}

/** Pairs each removed block with the next added block of the same kind. */
function pairBlocks(removed: ContentBlock[], added: ContentBlock[]): ComparedBlock[] {
  const pairs: ComparedBlock[] = [];
  let next = 0;
  for (const before of removed) {
    const at = before.file ? -1 : added.findIndex(({ kind }, index) => index >= next && kind === before.kind);
    if (at < 0) {
      pairs.push({ before });
      continue;
    }
    for (const after of added.slice(next, at)) pairs.push({ after });
    pairs.push({ before, after: added[at] });
    next = at + 1;
  }
  return [...pairs, ...added.slice(next).map((after) => ({ after }))];
}

function isEqual(one: ContentBlock, other: ContentBlock): boolean {
  return one.kind === other.kind && one.text === other.text && one.file?.sgid === other.file?.sgid;
}

function isSame({ before, after }: ComparedBlock): boolean {
  return before !== undefined && after !== undefined && isEqual(before, after);
}

function shownBlock({ before, after }: ComparedBlock, thumbnailOf: ThumbnailOf, until: number): Html {
  const { kind, file } = (after ?? before) as ContentBlock;
  const thumbnail = file && thumbnailOf(file.sgid);
  const label = kind !== "Paragraph" && html`<span class="kind">${kind}</span>`;
  const image = thumbnail && html`<img src="${thumbnail}" alt="" width="96" height="96">`;
  return html`<div class="block${CLASSES[kind.split(" ")[0] as string]}">${label}${image}${markedWords(before, after, until)}</div>`;
}

const CLASSES: Record<string, string> = { Heading: " is-heading", Code: " is-code", Quote: " is-quote" };

function markedWords(before: ContentBlock | undefined, after: ContentBlock | undefined, until: number): Html {
  if (before && after && before.text === after.text) return html`${after.text}`;
  const both = before && after && changedWords(before.text, after.text, until - threadTime());
  if (both) return both;
  const [old, fresh] = [before, after].map((block) => block && (block.text || "—"));
  return html`${old && html`<del>${old}</del>`}${fresh && html`<ins>${fresh}</ins>`}`;
}
