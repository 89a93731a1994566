/** What the font that comes with the program has: three alphabets, and the signs that go with them. */
const DRAWABLE =
  /^(?:[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\x20-\x7E\xA0-\xFF\u2010-\u205E\u20AC]|[\u0300-\u036F])*$/u;
/** Emoji are signs that the text can do without. */
const PICTOGRAMS = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|\u200D|\uFE0F/gu;

/** The first letter of a name, as a reader sees letters; "" where it has none. */
export function initialOf(name: string): string {
  const letters = new Intl.Segmenter().segment(name);
  const first = [...letters].find(({ segment }) => /[\p{L}\p{N}]/u.test(segment));
  return first?.segment.toLocaleUpperCase() ?? "";
}

/** The text as the font can draw it, without emoji; null where it has letters that the font lacks. */
export function drawable(text: string): string | null {
  const words = text.replace(PICTOGRAMS, "").replace(/\s+/g, " ").trim();
  return words !== "" && DRAWABLE.test(words) ? words : null;
}
