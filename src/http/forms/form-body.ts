import { MAX_BYTES, MAX_COUNTS } from "../../config/request-limits";
import { malformed, malformedField } from "../../errors";
import { readBodyText } from "../requests/request-body";

/** Field name → maximum length in characters. */
export type FormLimits<Name extends string = string> = Record<Name, number>;

export interface SentForm<Name extends string> {
  get(name: Name): string | null;
  getAll(name: Name): string[];
}

/**
 * Reads an urlencoded form; for a route with `parse: "none"`.
 * @param limits of the fields that may be read
 * @throws Refusal: too large, malformed naming a field that is too long
 */
export async function readForm<Name extends string>(
  request: Request,
  limits: FormLimits<Name>,
  maxBytes: number = MAX_BYTES.form,
): Promise<SentForm<Name>> {
  const form = parseForm(await readBodyText(request, maxBytes));
  for (const [name, max] of Object.entries<number>(limits))
    for (const value of form.getAll(name)) if (value.length > max) throw fieldTooLong(name, max);
  return form;
}

/** @throws Refusal (malformed) if there are more than MAX_COUNTS.formFields */
export function parseForm(text: string): URLSearchParams {
  let fields = 0;
  for (let at = text.indexOf("&"); at >= 0; at = text.indexOf("&", at + 1))
    if (++fields > MAX_COUNTS.formFields)
      throw malformed(`A form must have at most ${MAX_COUNTS.formFields} fields.`);
  return new URLSearchParams(text);
}

export function fieldTooLong(name: string, max: number) {
  return malformedField(name, `must be at most ${max} characters`);
}
