import { mayHaveCookie, readHeader, readReferer } from "../../http/requests/headers";
import type { Platen } from "../../platen";
import type { PostRow } from "../../posts/post/post";
import { countView } from "../../posts/statistics/view-counts";

/** Counts that a post's page was asked for, if by a person as far as can be told without a cookie of ours. */
export function countReading(platen: Platen, request: Request, post: Pick<PostRow, "id" | "blogId">): void {
  if (isReader(request)) countView(platen, post, referringHost(request));
}

/** Not prefetched, no program that names itself as one, and nobody who has signed in here. */
function isReader(request: Request): boolean {
  if (request.method !== "GET" || readHeader(request, "sec-purpose") !== null) return false;
  // Any session, also one that has ended.
  if (mayHaveCookie(request, "platen_session")) return false;
  return !/bot|crawl|spider|slurp|preview|fetch|monitor|curl|wget|python|headless/i.test(
    readHeader(request, "user-agent") ?? "bot",
  );
}

/** Of the other site whose link was followed: "example.org", in small letters and without www. Nothing else of it is kept. */
function referringHost(request: Request): string | null {
  const referrer = readReferer(request);
  const [, name] =
    /^https?:\/\/(?:www\.)?([a-z0-9][a-z0-9.-]{0,98}[a-z0-9])(?:[:/?#]|$)/i.exec(referrer ?? "") ?? [];
  const host = name?.toLowerCase();
  return host === undefined || host === ownHost(request) ? null : host;
}

function ownHost({ url }: Request): string | undefined {
  const [, host] = /^https?:\/\/(?:www\.)?([^/:?#]+)/i.exec(url) ?? [];
  return host?.toLowerCase();
}
