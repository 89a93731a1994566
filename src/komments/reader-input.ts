import { UNTRIMMED_FACTOR } from "../config/request-limits";
import { DAY, MINUTE, SECOND } from "../config/units";
import { assertNoFieldErrors, type FieldErrors } from "../errors";
import { cleanText } from "../text/clean-text";

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

/** @param times as long as it is kept a field may be */
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

export function cleanLine(text: string): string {
  return harmless(text).replace(/\s+/g, " ").trim();
}

function harmless(text: string): string {
  return cleanText(text).replace(HARMFUL, "");
}

/** The longest a reader may write, in a komment or a message: in characters, as a browser's `maxlength` counts them. */
export const MAX_INPUT_LENGTH = { name: 100, address: 300, text: 5000 };

/** Of the HTML made of a komment, in bytes: how many times as large as what was written, and so many more for short ones. */
export const MAX_KOMMENT_GROWTH = { times: 5, plus: 1024 };

/** For reading and cleaning one, in milliseconds; it takes a hundredth. Whoever waits for it is a stranger like its writer. */
export const KOMMENT_TIMEOUT_MS = 300;

/** How long its writer may change a komment, in milliseconds. It may be deleted at any time. */
export const EDIT_WINDOW_MS = 15 * MINUTE;

/** The least time between opening a form and sending it, in milliseconds: nobody reads it and writes into it in less. */
export const MIN_WRITING_MS = 3 * SECOND;

/** A form that lay open for longer, in milliseconds, is to be sent once more. */
export const MAX_WRITING_MS = DAY;

/** How many forms one client address may send in how long: komments, messages and changes together. */
export const FORM_RATE_LIMIT = { most: 10, within: 10 * MINUTE };
