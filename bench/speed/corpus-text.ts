import { renderContent } from "../../src/posts/content/rendering";
import { dice } from "../../test/support/dice";

const WORDS = 6000;
const SYLLABLES = [
  "ta",
  "re",
  "mi",
  "lo",
  "su",
  "ven",
  "dar",
  "kel",
  "pin",
  "os",
  "ha",
  "gre",
  "bu",
  "fal",
  "ni",
];
/** Number of different structures, which are filled with different words. */
const CONTENTS = 200;
/** Bytes of HTML. */
const SHORTEST = 1000;
const MAX_LENGTH = 15_000;
/** In words. */
const PARAGRAPH = { shortest: 20, longest: 110 };
/** Placeholder for a word during rendering. It needs no escaping, and occurs nowhere else. */
const SLOT = "qxzqxzq";

type Below = (count: number) => number;

export interface FilledContent {
  source: string;
  html: string;
  text: string;
}

/** @param rank 0 is the most common word */
export function wordOf(rank: number): string {
  let word = "";
  for (let left = rank + SYLLABLES.length; left > 0; left = Math.floor(left / SYLLABLES.length))
    word += SYLLABLES[left % SYLLABLES.length];
  return word;
}

export function someWords() {
  const all = Array.from({ length: WORDS }, (_, rank) => wordOf(rank));
  const uniformWord = (rank: number) => all[rank % WORDS] as string;
  return {
    uniformWord,
    spoken: (below: Below) => all[Math.floor(WORDS * (below(WORDS) / WORDS) ** 3)] as string,
    title(length: number, below: Below): string {
      const words = Array.from({ length }, () => uniformWord(below(WORDS))).join(" ");
      return words[0]?.toUpperCase() + words.slice(1);
    },
  };
}

export function someContents(): (below: Below) => FilledContent {
  const { below } = dice(2);
  const { spoken } = someWords();
  const templates = Array.from({ length: CONTENTS }, (_, number) => {
    const length = SHORTEST + (MAX_LENGTH - SHORTEST) * (number / CONTENTS) ** 1.5;
    return templateOf(sourceOf(length, below));
  });
  return (below) => {
    const template = templates[below(CONTENTS)] as ReturnType<typeof templateOf>;
    const words = Array.from({ length: template.slots }, () => spoken(below));
    return template.filledWith(words);
  };
}

function sourceOf(length: number, below: Below): string {
  let source = "";
  for (let part = 0; source.length < length; part++) {
    if (part % 5 === 4) source += `<h2>${slots(3)}</h2>`;
    else if (part % 7 === 5)
      source += `<ul><li>${slots(9)}</li><li>${slots(6)}</li><li>${slots(11)}</li></ul>`;
    else if (part % 11 === 8) source += `<blockquote><p>${slots(25)}</p></blockquote>`;
    else {
      const words = PARAGRAPH.shortest + below(PARAGRAPH.longest - PARAGRAPH.shortest);
      source += `<p>${slots(words)}, <em>${slots(2)}</em> &amp; <a href="https://example.com/${part}">${slots(3)}</a>.</p>`;
    }
  }
  return source;
}

function slots(count: number): string {
  return Array<string>(count).fill(SLOT).join(" ");
}

function templateOf(source: string) {
  const rendered = renderContent({ source, sourceType: "html", altText: {}, ownMedia: [], blobs: new Map() });
  if ("unknown" in rendered) throw new Error("A content of the corpus names a picture.");
  const parts = {
    source: source.split(SLOT),
    html: rendered.html.split(SLOT),
    text: rendered.text.split(SLOT),
  };
  const fillTemplate = (between: string[], words: string[]) =>
    between.reduce((before, after, slot) => before + words[slot - 1] + after);
  return {
    slots: parts.source.length - 1,
    filledWith: (words: string[]): FilledContent => ({
      source: fillTemplate(parts.source, words),
      html: fillTemplate(parts.html, words),
      text: fillTemplate(parts.text, words),
    }),
  };
}
