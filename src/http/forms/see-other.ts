import { type Answer, CACHING, redirect } from "../answers/answer";

/** Where a form leads when it has done its work: so that a page reloaded sends nothing again. */
export function seeOther(location: string, headers: Record<string, string> = {}): Answer {
  return redirect(303, location, { "cache-control": CACHING.nowhere, ...headers });
}
