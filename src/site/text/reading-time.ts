const WORDS_PER_MINUTE = 230;
const CHARACTERS_PER_MINUTE = 500;
const CHARACTER = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;
const WORD = /[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+/gu;

/** At least 1. In Chinese, Japanese and Korean, characters are counted instead of words. */
export function readingMinutes(text: string): number {
  const characters = text.match(CHARACTER)?.length ?? 0;
  const words = text.match(WORD)?.length ?? 0;
  return Math.max(1, Math.round(words / WORDS_PER_MINUTE + characters / CHARACTERS_PER_MINUTE));
}
