// biome-ignore lint/suspicious/noControlCharactersInRegex: matches control characters
const UNPRINTABLE = /[\0-\x08\x0B\x0C\x0E-\x1F\x7F]|\p{Surrogate}/gu;

export function cleanText(text: string): string {
  return text.replace(UNPRINTABLE, "");
}

export function oneLine(text: string): string {
  return cleanText(text).replace(/\s+/g, " ").trim();
}

/** null if the text is not percent-encoded UTF-8. */
export function percentDecoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** "a/b%2Fc" → ["a", "b/c"]; null if a segment is not percent-encoded UTF-8. */
export function decodeSegments(path: string): string[] | null {
  const names = path.split("/").map(percentDecoded);
  return names.every((name) => name !== null) ? names : null;
}

/** XML 1.0 cannot contain these characters, even escaped (section 2.2, Char). */
const INVALID_IN_XML = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;

export function cleanXml(text: string): string {
  return text.replace(INVALID_IN_XML, "");
}

export function isInvisible(text: string): boolean {
  return !/[^\s\p{Cf}]/u.test(text);
}

export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
