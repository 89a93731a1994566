const WORDS_PER_MINUTE = 230;
const CHARACTERS_PER_MINUTE = 500;

/** At least 1. In Chinese, Japanese and Korean, characters are counted instead of words. */
export function readingMinutes(text: string): number {
  const characters = countOf(
    text,
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu,
  );
  const words = countOf(
    text,
    /[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+/gu,
  );
  return Math.max(1, Math.round(words / WORDS_PER_MINUTE + characters / CHARACTERS_PER_MINUTE));
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
