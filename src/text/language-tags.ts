export const LANGUAGE_ERROR = "must be a language tag like en or pt-BR";

/** Smallest limit that RFC 5646 4.4.1 permits. */
const MAX_LANGUAGE_LENGTH = 35;

/**
 * The syntax alone would accept "german" and "xx". Therefore, two-letter codes must have a known name, and
 * codes with more than three letters are rejected.
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
