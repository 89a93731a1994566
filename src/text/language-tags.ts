export const LANGUAGE_ERROR = "must be a language tag like en or pt-BR";

/** Smallest limit that RFC 5646 4.4.1 permits. */
const MAX_LANGUAGE_LENGTH = 35;

/**
 * Accepts a BCP 47 tag that begins with a language code. The syntax alone would accept "german" and "xx".
 * Two-letter codes must have a known name. Any three-letter code is accepted, and no longer codes exist.
 */
export function isLanguage(tag: string): boolean {
  if (tag.length > MAX_LANGUAGE_LENGTH) return false;
  try {
    const { language } = new Intl.Locale(tag);
    if (language.length !== 2) return language.length === 3;
    return new Intl.DisplayNames("en", { type: "language", fallback: "none" }).of(language) !== undefined;
  } catch {
    return false;
  }
}
