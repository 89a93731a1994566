import { UNTIDY } from "../config/request-limits";
import { demandNone, type FieldFaults } from "../errors";
import { cleanText } from "../text/clean-text";
import { MOST_CHARACTERS } from "./reader-times-and-limits";

/** What a reader, who may be anybody, has typed into the form of a komment or a message. */
export interface ReaderInput {
  name: string;
  /** A website, an e-mail address or nothing. */
  address: string;
  text: string;
}

/** Marks that turn the writing direction of what follows, and C1 controls, which a terminal may obey. */
const HARMFUL = /[\u0080-\u009F\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;
/** A letter, digit, punctuation mark or symbol, emoji among them: something a reader can see. */
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** The input as it is kept. @throws Refusal (invalid) naming every field at fault */
export function checkedInput(typed: ReaderInput): ReaderInput {
  demandNone(tooLong(typed, UNTIDY));
  const input = {
    name: harmlessLine(typed.name),
    address: harmlessLine(typed.address),
    text: harmless(typed.text).replace(/\r\n?/g, "\n").trim(),
  };
  const faults = tooLong(input);
  for (const field of ["name", "text"] as const)
    if (!faults[field] && !VISIBLE.test(input[field])) faults[field] = ["must not be empty"];
  if (!faults.address && input.address !== "" && !isAddress(input.address))
    faults.address = ["must be like example.com or you@example.com"];
  demandNone(faults);
  return input;
}

/** @param times as long as it is kept a field may be */
function tooLong(input: ReaderInput, times = 1): FieldFaults {
  const faults: FieldFaults = {};
  for (const [field, most] of Object.entries(MOST_CHARACTERS))
    if (input[field as keyof ReaderInput].length > times * most)
      faults[field] = [`must be at most ${most} characters`];
  return faults;
}

export function isAddress(text: string): boolean {
  return isMailAddress(text) || websiteIn(text) !== null;
}

/** "example.com" and "https://example.com/me" as a link's target; null where the address is no website, such as an e-mail address. */
export function websiteIn(address: string): string | null {
  const url = URL.parse(/^https?:\/\//i.test(address) ? address : `https://${address}`);
  if (url?.username !== "" || /\s/.test(address)) return null;
  return url.hostname.includes(".") ? url.href : null;
}

/** "you@example.com" */
export function isMailAddress(text: string): boolean {
  if (!/^[^\s@:/]+@[^\s@:/]+$/.test(text)) return false;
  const dot = text.indexOf(".", text.indexOf("@") + 2);
  return dot > 0 && dot < text.length - 1;
}

export function harmlessLine(text: string): string {
  return harmless(text).replace(/\s+/g, " ").trim();
}

function harmless(text: string): string {
  return cleanText(text).replace(HARMFUL, "");
}
