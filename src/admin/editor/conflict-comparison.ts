import { type ChangeObject, diffArrays, diffWordsWithSpace } from "diff";
import { Parser } from "htmlparser2";
import { plainText } from "../../posts/content/plain-text-and-excerpts";
import { sgidsIn } from "../../posts/media-library/file-mentions";
import { abridge, compareWithTimeout, threadTime } from "../layout/diffs";

/** CPU time limit in milliseconds. Passages not compared in time are shown without marks. */
const COMPARE_TIMEOUT_MS = 1000;
const ALIGN_TIMEOUT_MS = 250;
const MAX_SHOWN_LENGTH = 100_000;
/** If more passages differ, the user chooses one of the two texts. */
const MAX_PASSAGES = 200;
const MAX_PAIRS = 900;
const WORDS_COMPARED = 300;
const MIN_SIMILARITY = 0.3;

export interface Text {
  content: string;
  contentType: "html" | "markdown";
}

type Side = "mine" | "theirs";
export type Sides<Of> = Record<Side, Of>;

/** Corresponding parts of two texts; "" if a text lacks the part. */
export type Passage = Sides<string>;

export type MarkedText = { text: string; isMarked: boolean }[];

export interface ShownPassage extends Passage {
  /** Key of the choice; null if there is nothing to choose. */
  key: string | null;
  shown: Sides<MarkedText>;
  sgids: Sides<string[]>;
}

/** Slow for long texts: call this function in a worker. */
export function compareTexts(mine: Text, theirs: Text): ShownPassage[] {
  const keyFor = choiceKeys();
  const passages = passagesOf(mine, theirs);
  const until = threadTime() + COMPARE_TIMEOUT_MS;
  return passages.map((one, index) => {
    if (isDifferent(one)) {
      const key = keyFor("", one.mine, one.theirs);
      const shown = markDifferences(visiblePassage(one, mine, theirs), until - threadTime());
      return { ...one, key, shown, sgids: { mine: sgidsIn(one.mine), theirs: sgidsIn(one.theirs) } };
    }
    const same = abridge(visibleText(one.mine, mine), index > 0, index < passages.length - 1);
    return { ...one, key: null, shown: { mine: plain(same), theirs: [] }, sgids: NO_FILES };
  });
}

export function withoutComparison(mine: Text, theirs: Text): ShownPassage[] {
  const shown = { mine: plain(truncate(mine.content)), theirs: plain(truncate(theirs.content)) };
  return [{ mine: mine.content, theirs: theirs.content, key: "text", shown, sgids: NO_FILES }];
}

const NO_FILES = { mine: [], theirs: [] };

function visiblePassage(passage: Passage, mine: Text, theirs: Text): Passage {
  const shown = { mine: visibleText(passage.mine, mine), theirs: visibleText(passage.theirs, theirs) };
  // The texts differ only in invisible HTML.
  if (shown.mine === shown.theirs) [shown.mine, shown.theirs] = [passage.mine.trim(), passage.theirs.trim()];
  return { mine: truncate(shown.mine), theirs: truncate(shown.theirs) };
}

function visibleText(text: string, { contentType }: Text): string {
  return (contentType === "markdown" ? text : plainText(text)).trim();
}

function truncate(text: string): string {
  return text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)} …` : text;
}

/** @param timeout CPU time limit in milliseconds; a comparison that takes longer marks nothing */
export function markDifferences({ mine, theirs }: Passage, timeout: number): Sides<MarkedText> {
  const isWhole = mine === "" || theirs === "";
  const changes = isWhole
    ? undefined
    : compareWithTimeout(timeout, (timeout) => diffWordsWithSpace(theirs, mine, { timeout }));
  if (!changes) return { mine: plain(mine), theirs: plain(theirs) };
  const textOf = (side: Side) =>
    changes
      .filter(({ added, removed }) => !(side === "mine" ? removed : added))
      .map(({ value, added, removed }) => ({ text: value, isMarked: added || removed }));
  return { mine: textOf("mine"), theirs: textOf("theirs") };
}

function plain(text: string): MarkedText {
  return text === "" ? [] : [{ text, isMarked: false }];
}

function passagesOf(mine: Text, theirs: Text): Passage[] {
  const whole = [{ mine: mine.content, theirs: theirs.content }];
  if (mine.contentType !== theirs.contentType || mine.content === theirs.content) return whole;
  const pieces = ({ content, contentType }: Text) => piecesOf(content, contentType);
  const aligned = comparePieces(pieces(mine), pieces(theirs));
  return !aligned || aligned.filter(isDifferent).length > MAX_PASSAGES ? whole : aligned;
}

function isDifferent({ mine, theirs }: Passage): boolean {
  return mine.trim() !== theirs.trim();
}

function comparePieces(mine: string[], theirs: string[]): Passage[] | undefined {
  const trimmed = (pieces: string[]) => pieces.map((piece) => piece.trim());
  const changes = compareWithTimeout(ALIGN_TIMEOUT_MS, (timeout) =>
    diffArrays(trimmed(theirs), trimmed(mine), { timeout }),
  );
  return (
    changes &&
    runsOf(mine, theirs, changes).flatMap((run) => (run.isSame ? [joinPieces(run)] : pairPieces(run)))
  );
}

/** Similar pieces form a passage each. The pieces between two such passages form one passage. */
function pairPieces(run: Run): Passage[] {
  const { mine, theirs } = run;
  if (mine.length * theirs.length > MAX_PAIRS) return [joinPieces(run)];
  const changes = diffArrays(theirs.map(wordsOf), mine.map(wordsOf), { comparator: areSimilar });
  return runsOf(mine, theirs, changes).flatMap((part) =>
    part.isSame
      ? part.mine.map((piece, index) => ({ mine: piece, theirs: part.theirs[index] as string }))
      : [joinPieces(part)],
  );
}

interface Run {
  mine: string[];
  theirs: string[];
  isSame: boolean;
}

/** @param changes from `theirs` to `mine` */
function runsOf(
  mine: string[],
  theirs: string[],
  changes: Pick<ChangeObject<unknown[]>, "value" | "added" | "removed">[],
): Run[] {
  const runs: Run[] = [];
  const [mineLeft, theirsLeft] = [mine.values(), theirs.values()];
  for (const { value, added, removed } of changes) {
    const isSame = !added && !removed;
    if (isSame || runs.at(-1)?.isSame !== false) runs.push({ mine: [], theirs: [], isSame });
    const run = runs.at(-1) as Run;
    if (!removed) run.mine = [...run.mine, ...mineLeft.take(value.length)];
    if (!added) run.theirs = [...run.theirs, ...theirsLeft.take(value.length)];
  }
  return runs;
}

function joinPieces({ mine, theirs }: Run): Passage {
  return { mine: mine.join(""), theirs: theirs.join("") };
}

function wordsOf(piece: string): Set<string> {
  return new Set(piece.match(/[\p{L}\p{N}]+/gu)?.slice(0, WORDS_COMPARED));
}

function areSimilar(one: Set<string>, other: Set<string>): boolean {
  return one.intersection(other).size >= MIN_SIMILARITY * Math.max(1, one.union(other).size);
}

const INLINE_ELEMENTS = new Set(
  `a abbr b bdi bdo br cite code data del dfn em font i img ins kbd label mark q rp rt ruby s samp small span
   strike strong sub sup time tt u var wbr`.split(/\s+/),
);

/** Joining the pieces restores the text. */
export function piecesOf(text: string, type: "html" | "markdown"): string[] {
  const cuts = type === "markdown" ? markdownCuts(text) : htmlCuts(text);
  const starts = [0, ...cuts.filter((at) => at > 0 && at < text.length)];
  return text === "" ? [] : starts.map((start, index) => text.slice(start, starts[index + 1]));
}

/** No cuts if an element is unclosed, because that element contains the rest of the text. */
function htmlCuts(html: string): number[] {
  const cuts: number[] = [];
  let depth = 0;
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
  const isLeftOpen = depth > 0;
  parser.end();
  return isLeftOpen ? [] : cuts;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;

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

const CHOICES = ["mine", "theirs", "both"] as const;
export type Choice = (typeof CHOICES)[number];

const PREFIX = "take-";

export function choiceField(key: string): string {
  return PREFIX + key;
}

export function parseChoices(sent: [name: string, value: string][]): Map<string, Choice> {
  const chosen = sent.flatMap(([name, value]): [string, Choice][] => {
    const choice = CHOICES.find((one) => one === value);
    return choice && name.startsWith(PREFIX) ? [[name.slice(PREFIX.length), choice]] : [];
  });
  return new Map(chosen);
}

/** Keys are hashes of both texts, so that a choice does not apply to texts that have changed since. */
export function choiceKeys(): (...words: string[]) => string {
  const seen = new Map<string, number>();
  return (...words) => {
    const key = new Bun.CryptoHasher("sha256").update(JSON.stringify(words)).digest("base64url").slice(0, 22);
    const times = seen.get(key) ?? 0;
    seen.set(key, times + 1);
    return `${key}${times || ""}`;
  };
}
