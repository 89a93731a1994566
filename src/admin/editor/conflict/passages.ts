import { type ChangeObject, diffArrays } from "diff";
import { Parser } from "htmlparser2";
import { compareWithTimeout } from "../../words/word-diff";
import type { PostFields } from "../form/post-fields";

const COMPARE_TIMEOUT_MS = 250;
/** If more passages differ, the user chooses one of the two texts. */
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

export function passagesOf(mine: Text, theirs: Text): Passage[] {
  const whole = [{ mine: mine.content, theirs: theirs.content }];
  if (mine.contentType !== theirs.contentType || mine.content === theirs.content) return whole;
  const pieces = ({ content, contentType }: Text) => piecesOf(content, contentType);
  const aligned = comparePieces(pieces(mine), pieces(theirs));
  return !aligned || aligned.filter(isDifferent).length > MAX_PASSAGES ? whole : aligned;
}

export function isDifferent({ mine, theirs }: Passage): boolean {
  return mine.trim() !== theirs.trim();
}

function comparePieces(mine: string[], theirs: string[]): Passage[] | undefined {
  const trimmed = (pieces: string[]) => pieces.map((piece) => piece.trim());
  const changes = compareWithTimeout(COMPARE_TIMEOUT_MS, (timeout) =>
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
