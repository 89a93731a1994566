import { diffWordsWithSpace } from "diff";
import { plainText } from "../../../posts/content/plain-text-and-excerpts";
import { sgidsIn } from "../../../posts/media-library/file-mentions";
import { abridge, compareWithTimeout, threadTime } from "../../words/word-diff";
import { choiceKeys } from "../form/merge-choices";
import { isDifferent, type Passage, passagesOf, type Text } from "./passages";

/** CPU time limit in milliseconds. Passages not compared in time are shown without marks. */
const COMPARE_TIMEOUT_MS = 1000;
const MAX_SHOWN_LENGTH = 100_000;

type Side = "mine" | "theirs";
export type Sides<Of> = Record<Side, Of>;

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
