import { mayHaveCookie, readHeader, readReferer } from "../../http/requests/headers";
import type { Platen } from "../../platen";
import type { PostRow } from "../../posts/post/post";
import { countView } from "../../posts/view-counts";

export function countPageView(platen: Platen, request: Request, post: Pick<PostRow, "id" | "blogId">): void {
  if (isReader(request)) countView(platen, post, referringHost(request));
}

function isReader(request: Request): boolean {
  if (request.method !== "GET" || readHeader(request, "sec-purpose") !== null) return false;
  return !mayHaveCookie(request, "platen_session") && !BOT.test(readHeader(request, "user-agent") ?? "bot");
}

const BOT = /bot|crawl|spider|slurp|preview|fetch|monitor|curl|wget|python|headless/i;

const REFERRER = /^https?:\/\/(?:www\.)?([a-z0-9][a-z0-9.-]{0,98}[a-z0-9])(?:[:/?#]|$)/i;

/** In lower case and without www. The rest of the referrer is not stored. */
function referringHost(request: Request): string | null {
  const [, name] = REFERRER.exec(readReferer(request) ?? "") ?? [];
  const host = name?.toLowerCase();
  return host === undefined || host === ownHost(request) ? null : host;
}

function ownHost({ url }: Request): string | undefined {
  const [, host] = /^https?:\/\/(?:www\.)?([^/:?#]+)/i.exec(url) ?? [];
  return host?.toLowerCase();
}
