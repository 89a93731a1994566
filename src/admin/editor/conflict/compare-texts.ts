import { diffWordsWithSpace } from "diff";
import { plainText } from "../../../posts/content/plain-text";
import { abridged, comparedWithin, threadTime } from "../../words/word-diff";
import { sgidsIn } from "../form/attachment-tags";
import { choiceKeys } from "../form/merge-choices";
import { isOther, type Passage, passagesOf, type Text } from "./passages";

/** For how long words are compared, in milliseconds of the thread's time: the passages that are left then are shown without marks. */
const COMPARED_WITHIN = 1000;
/** Of a passage, in characters: below, both texts stand as they are. */
const MOST_SHOWN = 100_000;

type Side = "mine" | "theirs";
type Sides<Of> = Record<Side, Of>;

/** A text, with what the other has not apart. */
export type MarkedText = { text: string; isMarked: boolean }[];

/** A passage, and what the page shows of it. */
export interface ShownPassage extends Passage {
  /** See `choiceKeys`; null where both say the same. */
  key: string | null;
  /** Of what is the same in both, yours, without its middle. */
  shown: Sides<MarkedText>;
  /** Signed ids of the files that each names. */
  sgids: Sides<string[]>;
}

/** All of two texts, to be chosen from. Takes as long as they are: runs beside the server where they are long. */
export function comparedTexts(mine: Text, theirs: Text): ShownPassage[] {
  const keyFor = choiceKeys();
  const types = { mine: mine.contentType, theirs: theirs.contentType };
  const passages = passagesOf(mine, theirs);
  const until = threadTime() + COMPARED_WITHIN;
  const compare = (said: Passage) => marked(said, until - threadTime());
  return passages.map((one, index) => {
    if (isOther(one)) {
      const sgids = { mine: sgidsIn(one.mine), theirs: sgidsIn(one.theirs) };
      return {
        ...one,
        key: keyFor("", one.mine, one.theirs),
        shown: compare(words(one, types)),
        sgids,
      };
    }
    const same = abridged(wordsIn(one.mine, types.mine), index > 0, index < passages.length - 1);
    return { ...one, key: null, shown: { mine: plain(same), theirs: [] }, sgids: { mine: [], theirs: [] } };
  });
}

/** Where there is no time to compare them: one of the two is to be chosen. */
export function uncompared(mine: Text, theirs: Text): ShownPassage[] {
  const shown = { mine: plain(shortened(mine.content)), theirs: plain(shortened(theirs.content)) };
  return [
    { mine: mine.content, theirs: theirs.content, key: "text", shown, sgids: { mine: [], theirs: [] } },
  ];
}

/** As readers would see it; where only what they do not see differs, as it is written. */
function words({ mine, theirs }: Passage, types: Sides<string>): Passage {
  const shown = { mine: wordsIn(mine, types.mine), theirs: wordsIn(theirs, types.theirs) };
  const told = shown.mine === shown.theirs ? { mine: mine.trim(), theirs: theirs.trim() } : shown;
  return { mine: shortened(told.mine), theirs: shortened(told.theirs) };
}

function wordsIn(text: string, type: string): string {
  return (type === "markdown" ? text : plainText(text)).trim();
}

function shortened(text: string): string {
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)} …` : text;
}

/** @param most in milliseconds of the thread's time; without marks where that does not do */
export function marked({ mine, theirs }: Passage, most: number): Sides<MarkedText> {
  const isWhole = mine === "" || theirs === "";
  const changes = isWhole
    ? undefined
    : comparedWithin(most, (timeout) => diffWordsWithSpace(theirs, mine, { timeout }));
  if (!changes) return { mine: plain(mine), theirs: plain(theirs) };
  const side = (whose: Side) =>
    changes
      .filter(({ added, removed }) => !(whose === "mine" ? removed : added))
      .map(({ value, added, removed }) => ({ text: value, isMarked: added || removed }));
  return { mine: side("mine"), theirs: side("theirs") };
}

function plain(text: string): MarkedText {
  return text === "" ? [] : [{ text, isMarked: false }];
}
