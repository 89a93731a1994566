import { UNTRIMMED_FACTOR } from "../config/request-limits";
import { DAY, MINUTE, SECOND } from "../config/units";
import { assertNoFieldErrors, type FieldErrors } from "../errors";
import { cleanText } from "../text/clean-text";

/** Input of a komment or contact form, from anybody. */
export interface ReaderInput {
  name: string;
  /** Website, e-mail address or "". */
  address: string;
  text: string;
}

/** Marks that change the writing direction, and C1 controls that a terminal may obey. */
const HARMFUL = /[\u0080-\u009F\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;
/** A letter, digit, punctuation mark or symbol, including emoji. */
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** Normalizes the input. @throws Refusal (invalid) */
export function checkReaderInput(typed: ReaderInput): ReaderInput {
  assertNoFieldErrors(tooLong(typed, UNTRIMMED_FACTOR));
  const input = {
    name: cleanLine(typed.name),
    address: cleanLine(typed.address),
    text: harmless(typed.text).replace(/\r\n?/g, "\n").trim(),
  };
  const faults = tooLong(input);
  for (const field of ["name", "text"] as const)
    if (!faults[field] && !VISIBLE.test(input[field])) faults[field] = ["must not be empty"];
  if (!faults.address && input.address !== "" && !isContactAddress(input.address))
    faults.address = ["must be like example.com or you@example.com"];
  assertNoFieldErrors(faults);
  return input;
}

/** @param times tolerance for text that is not trimmed yet */
function tooLong(input: ReaderInput, times = 1): FieldErrors {
  const faults: FieldErrors = {};
  for (const [field, most] of Object.entries(MAX_INPUT_LENGTH))
    if (input[field as keyof ReaderInput].length > times * most)
      faults[field] = [`must be at most ${most} characters`];
  return faults;
}

export function isContactAddress(text: string): boolean {
  return isMailAddress(text) || websiteIn(text) !== null;
}

/** The URL of "example.com" or "https://example.com/me"; null if it is no website. */
export function websiteIn(address: string): string | null {
  const url = URL.parse(/^https?:\/\//i.test(address) ? address : `https://${address}`);
  if (url?.username !== "" || /\s/.test(address)) return null;
  return url.hostname.includes(".") ? url.href : null;
}

export function isMailAddress(text: string): boolean {
  if (!/^[^\s@:/]+@[^\s@:/]+$/.test(text)) return false;
  const dot = text.indexOf(".", text.indexOf("@") + 2);
  return dot > 0 && dot < text.length - 1;
}

export function cleanLine(text: string): string {
  return harmless(text).replace(/\s+/g, " ").trim();
}

function harmless(text: string): string {
  return cleanText(text).replace(HARMFUL, "");
}

/** UTF-16 units, like `maxlength` in browsers. */
export const MAX_INPUT_LENGTH = { name: 100, address: 300, text: 5000 };

/** Maximum ratio of HTML to source, plus an allowance for short texts. */
export const MAX_KOMMENT_GROWTH = { times: 5, plus: 1024 };

/** A komment takes a hundredth. Other strangers wait meanwhile. */
export const KOMMENT_TIMEOUT_MS = 300;

/** A komment can be deleted at any time. */
export const EDIT_WINDOW_MS = 15 * MINUTE;

/** Nobody reads and fills in a form faster. */
export const MIN_WRITING_MS = 3 * SECOND;

/** Older forms must be sent again. */
export const MAX_WRITING_MS = DAY;

/** Per client address; komments, messages and edits together. */
export const FORM_RATE_LIMIT = { most: 10, within: 10 * MINUTE };
