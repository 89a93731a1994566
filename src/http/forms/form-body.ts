import { MAX_BYTES, MAX_COUNTS } from "../../config/request-limits";
import { malformed, malformedField } from "../../errors";
import { readBodyText } from "../requests/request-body";

/** What a form may hold: the names of its fields, and how long each may be, in characters. */
export type FormLimits<Name extends string = string> = Record<Name, number>;

/** The fields that were looked for, as sent. */
export interface SentForm<Name extends string> {
  /** The first of the name; null where there is none. */
  get(name: Name): string | null;
  getAll(name: Name): string[];
}

/**
 * The fields of an urlencoded form; for a route with `parse: "none"`.
 * @param limits others than these are never looked at
 * @param largest in bytes
 * @throws Refusal: too large, malformed naming a field that is too long
 */
export async function readForm<Name extends string>(
  request: Request,
  limits: FormLimits<Name>,
  largest: number = MAX_BYTES.form,
): Promise<SentForm<Name>> {
  const form = parseForm(await readBodyText(request, largest));
  for (const [name, most] of Object.entries<number>(limits))
    for (const value of form.getAll(name)) if (value.length > most) throw fieldTooLong(name, most);
  return form;
}

/** @throws Refusal (malformed) for more fields than MAX_COUNTS.formFields */
export function parseForm(text: string): URLSearchParams {
  let fields = 0;
  for (let at = text.indexOf("&"); at >= 0; at = text.indexOf("&", at + 1))
    if (++fields > MAX_COUNTS.formFields)
      throw malformed(`A form may have at most ${MAX_COUNTS.formFields} fields.`);
  return new URLSearchParams(text);
}

export function fieldTooLong(name: string, most: number) {
  return malformedField(name, `must be at most ${most} characters`);
}
