import { diffArrays, diffWordsWithSpace } from "diff";
import { type Html, html, raw } from "../../text/html";

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

export function compareWithTimeout<Found>(most: number, compare: (timeout: number) => Found | undefined) {
  const until = threadTime() + most;
  for (let left = most; left > 0; left = until - threadTime()) {
    const found = compare(left);
    if (found) return found;
  }
}

/** CPU time limits in milliseconds: one for comparing blocks, one for the words of all blocks. */
const BLOCKS_TIMEOUT_MS = 150;
const WORDS_TIMEOUT_MS = 250;
const CONTEXT_BLOCKS = 1;
const MIN_EQUAL_SHARE = 0.3;

const TOKEN =
  /<[^>]*>|\s+|&[^;\s]+;|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{M}\p{N}_]+|[^\s<]/gu;
const VOID_TAG = /^<(?:img|br|hr|wbr|input|source|track|col)\b/;
const MEDIA_TAG = /^<(?:img|hr)\b/;
const BLOCK_END = /^<(?:\/(?:p|h[1-6]|[uod]l|pre|blockquote|figure|table|div|details|section|aside)>|hr\b)/;
const FRAME = /<iframe\b[^>]*?\ssrc="([^"]*)"[^>]*><\/iframe>/g;

interface Token {
  markup: string;
  /** The key of a word contains its open tags, so that new formatting is a change. */
  key: string;
}

interface Block {
  markup: string;
  tokens: Token[];
  key: string;
}

interface ShownBlock {
  markup: string;
  isChanged: boolean;
}

/**
 * Both texts must be sanitized, because the result contains their HTML.
 * @returns null if comparing the blocks takes too long
 */
export function renderedDiff(before: string, after: string): Html | null {
  const [old, now] = [blocksOf(before), blocksOf(after)];
  const changes = compareWithTimeout(BLOCKS_TIMEOUT_MS, (timeout) =>
    diffArrays(old, now, { comparator: (one, other) => one.key === other.key, timeout }),
  );
  if (!changes) return null;
  const until = threadTime() + WORDS_TIMEOUT_MS;
  const shown: ShownBlock[] = [];
  let removedBlocks: Block[] = [];
  for (const { value, added, removed } of changes) {
    if (removed) removedBlocks = value;
    else {
      shown.push(...changedBlocks(removedBlocks, added ? value : [], until));
      removedBlocks = [];
      if (!added) shown.push(...value.map(({ markup }) => ({ markup, isChanged: false })));
    }
  }
  shown.push(...changedBlocks(removedBlocks, [], until));
  return html`<div class="diff rendered">${withoutDistantBlocks(shown)}</div>`;
}

function blocksOf(source: string): Block[] {
  const blocks: Block[] = [];
  const open: string[] = [];
  let context = "";
  let tokens: Token[] = [];
  const endBlock = () => {
    const markup = tokens.map((token) => token.markup).join("");
    if (markup.trim() !== "") blocks.push({ markup, tokens, key: tokens.map(({ key }) => key).join("") });
    tokens = [];
  };
  for (const part of source.replace(FRAME, '<a href="$1">$1</a>').match(TOKEN) ?? []) {
    const markup = part.replace(/ id="[^"]*"/, "");
    if (!part.startsWith("<")) {
      tokens.push({ markup, key: `${context} ${part}` });
      continue;
    }
    const key = tagKey(part);
    tokens.push({ markup, key });
    if (part.startsWith("</")) open.pop();
    else if (!VOID_TAG.test(part)) open.push(key);
    context = open.join("");
    if (open.length === 0 && BLOCK_END.test(part)) endBlock();
  }
  endBlock();
  return blocks;
}

/** Other attributes are not compared, so their changes are not shown. */
function tagKey(tag: string): string {
  const [name = ""] = /^<\/?[^\s>]+/.exec(tag) ?? [];
  return [name, ...(tag.match(/\s(?:href|src|data-width|data-crop)="[^"]*"/g) ?? [])].join("");
}

function changedBlocks(removed: Block[], added: Block[], until: number): ShownBlock[] {
  const shown: ShownBlock[] = [];
  const push = (markup: string) => shown.push({ markup, isChanged: true });
  let next = 0;
  for (const before of removed) {
    const kind = before.tokens[0]?.key;
    const index = added.findIndex(({ tokens }, at) => at >= next && tokens[0]?.key === kind);
    const both = added[index] && markBlockChanges(before, added[index], until);
    if (!both) {
      push(markedContent(before.tokens, "del"));
      continue;
    }
    for (const { tokens } of added.slice(next, index)) push(markedContent(tokens, "ins"));
    push(both);
    next = index + 1;
  }
  for (const { tokens } of added.slice(next)) push(markedContent(tokens, "ins"));
  return shown;
}

function markBlockChanges(before: Block, after: Block, until: number): string | null {
  const changes = compareWithTimeout(until - threadTime(), (timeout) =>
    diffArrays(before.tokens, after.tokens, { comparator: (one, other) => one.key === other.key, timeout }),
  );
  if (!changes) return null;
  const words = (tokens: Token[]) =>
    tokens.filter((token) => isContent(token) && token.markup.trim() !== "").length;
  const equal = changes.reduce(
    (sum, { value, added, removed }) => sum + (added || removed ? 0 : words(value)),
    0,
  );
  if (equal < MIN_EQUAL_SHARE * Math.max(words(before.tokens), words(after.tokens))) return null;
  return changes
    .map(({ value, added, removed }) => {
      if (added) return markedContent(value, "ins");
      if (removed) return markedContent(isBalanced(value) ? value : withoutTags(value), "del");
      return value.map(({ markup }) => markup).join("");
    })
    .join("");
}

function isBalanced(tokens: Token[]): boolean {
  let depth = 0;
  for (const { markup } of tokens) {
    if (!markup.startsWith("<") || VOID_TAG.test(markup)) continue;
    depth += markup.startsWith("</") ? -1 : 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}

/** Tags become spaces, so that the words of two list items stay apart. */
function withoutTags(tokens: Token[]): Token[] {
  return tokens.map((token) => (isContent(token) ? token : { ...token, markup: " " }));
}

function isContent({ markup }: Token): boolean {
  return !markup.startsWith("<") || MEDIA_TAG.test(markup);
}

/** Marks words and pictures, but not the tags around them, so that the HTML stays well-formed. */
function markedContent(tokens: Token[], element: "ins" | "del"): string {
  let marked = "";
  let content = "";
  const endContent = () => {
    marked += content.trim() === "" ? content : `<${element}>${content}</${element}>`;
    content = "";
  };
  for (const token of tokens) {
    if (isContent(token)) {
      content += token.markup;
      continue;
    }
    endContent();
    marked += token.markup;
  }
  endContent();
  return marked;
}

function withoutDistantBlocks(blocks: ShownBlock[]): Html[] {
  const isShown = (index: number) =>
    blocks
      .slice(Math.max(0, index - CONTEXT_BLOCKS), index + CONTEXT_BLOCKS + 1)
      .some((block) => block.isChanged);
  return blocks.map(({ markup }, index) => {
    if (isShown(index)) return raw(markup);
    return index === 0 || isShown(index - 1) ? html`<p class="left-out">…</p>` : html``;
  });
}
