import type { Blog } from "../../blogs/blogs";
import { contrast } from "./accent";

/** What stands out where the owner chose nothing: the themes' own `--accent` by day. */
const ACCENTS: Record<Blog["theme"], string> = { serif: "#8a3b12", sans: "#1a56c4", photo: "#9b2c4e" };
/** WCAG 2.2, 1.4.3: large text against what is behind it. */
const CONTRAST = 3;
const INK = "#24211d";
const WHITE = "#ffffff";

/** What the font that comes with the program has: three alphabets, and the signs that go with them. */
const DRAWABLE =
  /^(?:[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\x20-\x7E\xA0-\xFF\u2010-\u205E\u20AC]|[\u0300-\u036F])*$/u;
/** Emoji are signs that the text can do without. */
const PICTOGRAMS = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|\u200D|\uFE0F/gu;

/** "#rrggbb" */
export function accentOf({ accent, theme }: Pick<Blog, "accent" | "theme">): string {
  return accent || ACCENTS[theme];
}

/** White, or ink where white could not be read upon it. @param colour "#rrggbb" */
export function inkOn(colour: string): string {
  return contrast(WHITE, colour) >= CONTRAST ? WHITE : INK;
}

/** The first letter of a name, as a reader sees letters; "" where it has none. */
export function initialOf(name: string): string {
  const letters = new Intl.Segmenter().segment(name);
  const first = [...letters].find(({ segment }) => /[\p{L}\p{N}]/u.test(segment));
  return first?.segment.toLocaleUpperCase() ?? "";
}

/** The text as it can be drawn, without emoji; null where it is of letters that cannot be. */
export function drawable(text: string): string | null {
  const words = text.replace(PICTOGRAMS, "").replace(/\s+/g, " ").trim();
  return words !== "" && DRAWABLE.test(words) ? words : null;
}
