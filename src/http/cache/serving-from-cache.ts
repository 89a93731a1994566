import { recordKeyUse } from "../../accounts/key-usage";
import { authenticateKey } from "../../accounts/keys";
import { MINUTE } from "../../config/units";
import type { Platen } from "../../platen";
import { hashSecret } from "../../secrets";
import { requestCounts } from "../requests/call";
import { readHeader } from "../requests/headers";
import { sendResponse } from "../responses/response";
import { type ResponseCache, responseCache } from "./response-cache";

type AppHandler = (request: Request) => unknown;

/** Wraps the app: Elysia's own context per request costs as much as a cached response. */
export function serveFromCache(platen: Platen): (app: AppHandler, request: Request) => AppHandler {
  const cache = responseCache(platen);
  const counts = requestCounts(platen);
  const noteUse = keyUseRecorder(platen);
  return (app, request) => {
    counts.requests++;
    const response = cachedResponse(cache, request, noteUse);
    return response ? () => response : app;
  };
}

/** Cache key of a request with an API key: URL and hash of the Authorization header. */
export function authorizedCacheKey(request: Request): string {
  return `${request.url} ${hashSecret(readHeader(request, "authorization") ?? "")}`;
}

/** @returns undefined if the app must respond, such as for proxied requests or long headers */
function cachedResponse(
  cache: ResponseCache,
  request: Request,
  noteUse: (authorization: string) => void,
): Response | undefined {
  try {
    if (request.method !== "GET") return undefined;
    const authorization = readHeader(request, "authorization");
    const response = cache.get(authorization === null ? request.url : authorizedCacheKey(request));
    if (!response) return undefined;
    if (authorization !== null) noteUse(authorization);
    return hasNoForwardedHost(request) ? sendResponse({ request }, response) : undefined;
  } catch {
    return undefined;
  }
}

/** Records the use of a key once a minute. */
function keyUseRecorder(platen: Platen): (authorization: string) => void {
  const noted = new Set<string>();
  let notedMinute = 0;
  return (authorization) => {
    const minute = Math.floor(platen.now().getTime() / MINUTE);
    if (minute !== notedMinute) noted.clear();
    notedMinute = minute;
    if (noted.has(authorization)) return;
    noted.add(authorization);
    const caller = authenticateKey(platen, authorization.trim().split(/\s+/)[1] ?? "");
    if (caller) recordKeyUse(platen, caller.key.id, () => null);
  };
}

/** Whether no proxy names another host. @throws Refusal (long header) */
function hasNoForwardedHost(request: Request): boolean {
  readHeader(request, "x-forwarded-for");
  readHeader(request, "x-forwarded-proto");
  const host = readHeader(request, "x-forwarded-host");
  return host === null || host === URL.parse(request.url)?.host;
}
