// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const UNPRINTABLE = /[\0-\x08\x0B\x0C\x0E-\x1F\x7F]|\p{Surrogate}/gu;

/** The text without control characters (tab and line ends stay) and without halves of surrogate pairs. */
export function cleanText(text: string): string {
  return text.replace(UNPRINTABLE, "");
}

/** Nothing a reader could see: white space, zero-width and direction marks only. Reads on to the first that is none. */
export function isInvisible(text: string): boolean {
  return !/[^\s\p{Cf}]/u.test(text);
}
