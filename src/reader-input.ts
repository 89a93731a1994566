import { cleanText } from "./clean-text";
import { type FieldFaults, invalid } from "./errors";

/** In characters, as a browser's `maxlength` counts them. */
export const LONGEST_WORDS = { name: 100, address: 300, text: 5000 };

/** What a reader has typed into a form of ours, who may be anybody. */
export interface ReaderWords {
  name: string;
  /** A website, an e-mail address or nothing. */
  address: string;
  text: string;
}

/** Marks that turn the writing direction of what follows, and C1 controls, which a terminal may obey. */
const HARMFUL = /[\u0080-\u009F\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;
/** Something that leaves ink. */
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** The words as they are kept. @throws Refusal (invalid) naming every field at fault */
export function checkedWords(typed: ReaderWords): ReaderWords {
  const words = {
    name: oneLine(typed.name),
    address: oneLine(typed.address),
    text: harmless(typed.text).replace(/\r\n?/g, "\n").trim(),
  };
  const faults: FieldFaults = {};
  for (const field of ["name", "text"] as const)
    if (!VISIBLE.test(words[field])) faults[field] = ["must not be empty"];
  if (words.address !== "" && !isMailAddress(words.address) && websiteIn(words.address) === null)
    faults.address = ["must be like example.com or you@example.com"];
  for (const [field, most] of Object.entries(LONGEST_WORDS))
    if (words[field as keyof ReaderWords].length > most)
      faults[field] = [`must be at most ${most} characters`];
  if (Object.keys(faults).length > 0) throw invalid(faults);
  return words;
}

/** "example.com" and "https://example.com/me" as a link's target; null where the address is no website, such as an e-mail address. */
export function websiteIn(address: string): string | null {
  const url = URL.parse(/^https?:\/\//i.test(address) ? address : `https://${address}`);
  if (url?.username !== "" || /\s/.test(address)) return null;
  return url.hostname.includes(".") ? url.href : null;
}

function isMailAddress(text: string): boolean {
  return /^[^\s@:/]+@[^\s@:/]+\.[^\s@:/]+$/.test(text);
}

function oneLine(text: string): string {
  return harmless(text).replace(/\s+/g, " ").trim();
}

function harmless(text: string): string {
  return cleanText(text).replace(HARMFUL, "");
}
