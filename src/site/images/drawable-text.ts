/** Characters of the bundled font: three alphabets and punctuation. */
const DRAWABLE =
  /^(?:[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\x20-\x7E\xA0-\xFF\u2010-\u205E\u20AC]|[\u0300-\u036F])*$/u;
const PICTOGRAMS = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|\u200D|\uFE0F/gu;

/** Characters of all fonts for cards. */
const PLAIN = /^[\x20-\x7E\xA0-\u017F\u2010-\u2026\u20AC]*$/;

/** Whether any font for cards has the letters of this text. */
export function isPlainLatin(text: string): boolean {
  return PLAIN.test(text);
}

/** The first letter (grapheme) of a name; "" if there is none. */
export function initialOf(name: string): string {
  const letters = new Intl.Segmenter().segment(name);
  const first = [...letters].find(({ segment }) => /[\p{L}\p{N}]/u.test(segment));
  return first?.segment.toLocaleUpperCase() ?? "";
}

/** The text without emoji; null if the font lacks a letter. */
export function drawable(text: string): string | null {
  const words = text.replace(PICTOGRAMS, "").replace(/\s+/g, " ").trim();
  return words !== "" && DRAWABLE.test(words) ? words : null;
}
