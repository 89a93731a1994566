import { UNTRIMMED_FACTOR } from "../config/request-limits";
import { assertNoFieldErrors, type FieldErrors } from "../errors";
import { cleanText } from "../text/clean-text";

/** In UTF-16 code units, like `maxlength` in browsers. */
export const MAX_INPUT_LENGTH = { name: 100, address: 300, text: 5000 };

/** Unchecked input of a komment form or contact form, which anybody can send. */
export interface ReaderInput {
  name: string;
  /** Website or e-mail address; "" if none. */
  address: string;
  text: string;
  /** E-mail address to notify of the owner's reply; undefined if the writer wants no mail. */
  answerTo?: string;
}

/** Matches marks that change the text direction, and C1 controls, which affect terminals. */
const HARMFUL = /[\u0080-\u009F\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

export function checkReaderInput(typed: ReaderInput): ReaderInput {
  assertNoFieldErrors(tooLong(typed, UNTRIMMED_FACTOR));
  const input = {
    name: cleanLine(typed.name),
    address: cleanLine(typed.address),
    text: harmless(typed.text).replace(/\r\n?/g, "\n").trim(),
  };
  const errors = tooLong(input);
  for (const field of ["name", "text"] as const)
    if (!errors[field] && !VISIBLE.test(input[field])) errors[field] = ["must not be empty"];
  if (!errors.address && input.address !== "" && !isContactAddress(input.address))
    errors.address = ["must be like example.com or you@example.com"];
  assertNoFieldErrors(errors);
  return input;
}

function tooLong(input: ReaderInput, times = 1): FieldErrors {
  const errors: FieldErrors = {};
  for (const [field, most] of Object.entries(MAX_INPUT_LENGTH))
    if (input[field as keyof typeof MAX_INPUT_LENGTH].length > times * most)
      errors[field] = [`must be at most ${most} characters`];
  return errors;
}

export function isContactAddress(text: string): boolean {
  return isMailAddress(text) || websiteIn(text) !== null;
}

/** "example.com" and "https://example.com/me" are websites; null for other text. */
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
