import { diffArrays } from "diff";
import { Parser } from "htmlparser2";
import { compareWithTimeout } from "../../words/word-diff";
import type { PostFields } from "../form/post-fields";

/** CPU time limit for a comparison, in milliseconds. */
const COMPARE_TIMEOUT_MS = 250;
/** Maximum number of different passages. If there are more, the user chooses one of the two texts. */
const MAX_PASSAGES = 200;

/** Corresponding parts of two texts; "" if a text lacks the part. */
export interface Passage {
  mine: string;
  theirs: string;
}

const MAX_PAIRS = 900;
const WORDS_COMPARED = 300;
const MIN_SIMILARITY = 0.3;

export type Text = Pick<PostFields, "content" | "contentType">;

/** Aligns two texts into a list of equal and different passages. */
export function passagesOf(mine: Text, theirs: Text): Passage[] {
  const whole = [{ mine: mine.content, theirs: theirs.content }];
  if (mine.contentType !== theirs.contentType || mine.content === theirs.content) return whole;
  const [ours, others] = [mine, theirs].map(({ content, contentType }) => piecesOf(content, contentType));
  const aligned = comparePieces(ours as string[], others as string[]);
  return aligned === null || aligned.filter(isDifferent).length > MAX_PASSAGES ? whole : aligned;
}

/** Ignores white space around a passage. */
export function isDifferent({ mine, theirs }: Passage): boolean {
  return mine.trim() !== theirs.trim();
}

/** @returns null if the comparison takes too long */
function comparePieces(mine: string[], theirs: string[]): Passage[] | null {
  const trimmed = (pieces: string[]) => pieces.map((piece) => piece.trim());
  const [others, ours] = [trimmed(theirs), trimmed(mine)];
  const changes = compareWithTimeout(COMPARE_TIMEOUT_MS, (timeout) => diffArrays(others, ours, { timeout }));
  if (!changes) return null;
  const passages: Passage[] = [];
  const next = { mine: 0, theirs: 0 };
  const take = (from: "mine" | "theirs", count: number) => {
    next[from] += count;
    return (from === "mine" ? mine : theirs).slice(next[from] - count, next[from]);
  };
  for (let index = 0; index < changes.length; index++) {
    const change = changes[index] as (typeof changes)[number];
    const isPair = change.removed && changes[index + 1]?.added;
    const count = change.value.length;
    if (isPair) {
      index++;
      const added = changes[index] as typeof change;
      passages.push(...pairPieces(take("mine", added.value.length), take("theirs", count)));
    } else if (change.removed) passages.push({ mine: "", theirs: take("theirs", count).join("") });
    else if (change.added) passages.push({ mine: take("mine", count).join(""), theirs: "" });
    else passages.push({ mine: take("mine", count).join(""), theirs: take("theirs", count).join("") });
  }
  return passages;
}

function pairPieces(mine: string[], theirs: string[]): Passage[] {
  if (mine.length * theirs.length > MAX_PAIRS) return [{ mine: mine.join(""), theirs: theirs.join("") }];
  const [ours, others] = [mine.map(wordsOf), theirs.map(wordsOf)];
  const best = Array.from({ length: mine.length + 1 }, () => new Array<number>(theirs.length + 1).fill(0));
  const similarities = ours.map((one) => others.map((other) => similarity(one, other)));
  const at = (i: number, j: number) => best[i]?.[j] ?? 0;
  const withPair = (i: number, j: number) => {
    const alike = similarities[i]?.[j] ?? 0;
    return alike < MIN_SIMILARITY ? 0 : alike + at(i + 1, j + 1);
  };
  for (let i = mine.length - 1; i >= 0; i--)
    for (let j = theirs.length - 1; j >= 0; j--)
      (best[i] as number[])[j] = Math.max(withPair(i, j), at(i + 1, j), at(i, j + 1));
  const passages: Passage[] = [];
  let [i, j] = [0, 0];
  const flush = (toMine: number, toTheirs: number) => {
    if (toMine > i || toTheirs > j)
      passages.push({ mine: mine.slice(i, toMine).join(""), theirs: theirs.slice(j, toTheirs).join("") });
    [i, j] = [toMine, toTheirs];
  };
  for (let [a, b] = [0, 0]; a < mine.length && b < theirs.length; )
    if (withPair(a, b) > 0 && withPair(a, b) === at(a, b)) {
      flush(a, b);
      flush(++a, ++b);
    } else if (at(a + 1, b) === at(a, b)) a++;
    else b++;
  flush(mine.length, theirs.length);
  return passages;
}

function wordsOf(piece: string): Set<string> {
  return new Set(piece.match(/[\p{L}\p{N}]+/gu)?.slice(0, WORDS_COMPARED));
}

function similarity(one: Set<string>, other: Set<string>): number {
  return one.intersection(other).size / Math.max(1, one.union(other).size);
}

const INLINE_ELEMENTS = new Set(
  `a abbr b bdi bdo br cite code data del dfn em font i img ins kbd label mark q rp rt ruby s samp small span
   strike strong sub sup time tt u var wbr`.split(/\s+/),
);

/** Splits a text into top-level blocks. Joining them restores the text. */
export function piecesOf(text: string, type: "html" | "markdown"): string[] {
  const cuts = type === "markdown" ? markdownCuts(text) : htmlCuts(text);
  const starts = [0, ...cuts.filter((at) => at > 0 && at < text.length)];
  return text === "" ? [] : starts.map((start, index) => text.slice(start, starts[index + 1]));
}

/** Cuts before top-level blocks. No cuts if an element is unclosed, because it contains the rest of the text. */
function htmlCuts(html: string): number[] {
  const cuts: number[] = [];
  let depth = 0;
  let isLeftOpen = false;
  const parser = new Parser({
    onopentag(name) {
      if (depth === 0 && !INLINE_ELEMENTS.has(name)) cuts.push(parser.startIndex);
      depth++;
    },
    onclosetag() {
      depth--;
    },
  });
  parser.write(html);
  isLeftOpen = depth > 0;
  parser.end();
  return isLeftOpen ? [] : cuts;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** Cuts after empty lines, except in fenced code. */
function markdownCuts(text: string): number[] {
  const cuts: number[] = [];
  let at = 0;
  let fence = "";
  let wasEmpty = false;
  for (const line of text.split("\n")) {
    const isEmpty = line.trim() === "";
    if (wasEmpty && !isEmpty && fence === "") cuts.push(at);
    const [, mark = ""] = FENCE.exec(line) ?? [];
    if (fence === "") fence = mark;
    else if (mark.startsWith(fence) && line.trim() === mark) fence = "";
    wasEmpty = isEmpty;
    at += line.length + 1;
  }
  return cuts;
}
