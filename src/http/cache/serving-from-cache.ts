import type { Platen } from "../../platen";
import { hashSecret } from "../../secrets";
import { requestCounts } from "../requests/call";
import { readHeader } from "../requests/headers";
import { sendResponse } from "../responses/response";
import { type ResponseCache, responseCache } from "./response-cache";

type AppHandler = (request: Request) => unknown;

/**
 * Sends cached responses before Elysia runs, because Elysia's context for each request costs as much as the response.
 */
export function serveFromCache(platen: Platen): (app: AppHandler, request: Request) => AppHandler {
  const cache = responseCache(platen);
  const counts = requestCounts(platen);
  return (app, request) => {
    counts.requests++;
    const response = cachedResponse(cache, request);
    return response ? () => response : app;
  };
}

/** Cache key of a request with an API key: URL and hash of the Authorization header. */
export function authorizedCacheKey(request: Request): string {
  return `${request.url} ${hashSecret(readHeader(request, "authorization") ?? "")}`;
}

/** @returns undefined if the app must respond, such as for proxied requests or long headers */
function cachedResponse(cache: ResponseCache, request: Request): Response | undefined {
  try {
    if (request.method !== "GET") return undefined;
    const authorization = readHeader(request, "authorization");
    const response = cache.get(authorization === null ? request.url : authorizedCacheKey(request));
    return response && hasNoForwardedHost(request) ? sendResponse({ request }, response) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether X-Forwarded-Host is missing or equal to the requested host. @throws Refusal (long header) */
function hasNoForwardedHost(request: Request): boolean {
  readHeader(request, "x-forwarded-for");
  readHeader(request, "x-forwarded-proto");
  const host = readHeader(request, "x-forwarded-host");
  return host === null || host === URL.parse(request.url)?.host;
}
