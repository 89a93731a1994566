import { header } from "../../http/requests/headers";
import type { Platen } from "../../platen";
import { countView } from "../../posts/parts/view-counts";

/** Counts that a post's page was asked for, if by a person as far as can be told without a cookie. */
export function countReading(platen: Platen, request: Request, postId: number): void {
  if (isReader(request)) countView(platen, postId);
}

/** Not prefetched, and no program that names itself as one. */
function isReader(request: Request): boolean {
  if (request.method !== "GET" || header(request, "sec-purpose") !== null) return false;
  return !/bot|crawl|spider|slurp|preview|fetch|monitor|curl|wget|python|headless/i.test(
    header(request, "user-agent") ?? "bot",
  );
}
