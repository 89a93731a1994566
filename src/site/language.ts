/** Scripts in use that run from right to left (ISO 15924). */
const RIGHT_TO_LEFT = ["Adlm", "Arab", "Hebr", "Mand", "Nkoo", "Rohg", "Samr", "Syrc", "Thaa"];

/** Which way a language is written: "he" → "rtl". */
export function directionOf(language: string): "ltr" | "rtl" {
  const { script } = new Intl.Locale(language).maximize();
  return script && RIGHT_TO_LEFT.includes(script) ? "rtl" : "ltr";
}
