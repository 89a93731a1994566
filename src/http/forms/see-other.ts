import { CACHING } from "../responses/cache-control";
import { type Answer, redirect } from "../responses/response";

/** The answer to a form that was accepted: a reload of the page it leads to sends nothing again. */
export function seeOther(location: string, headers: Record<string, string> = {}): Answer {
  return redirect(303, location, { "cache-control": CACHING.nowhere, ...headers });
}
