import { readText } from "../requests/json-body";

/** The largest form, in bytes. */
const LARGEST = 64 * 1024;

/** The fields of an urlencoded form; for a route with `parse: "none"`. @throws Refusal (too large) */
export async function readForm(request: Request): Promise<URLSearchParams> {
  return new URLSearchParams(await readText(request, LARGEST));
}
