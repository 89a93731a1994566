import { DAY, MEGABYTE } from "../config/units";
import { dataVersionOfTick } from "../database/change-counter";
import type { Platen } from "../platen";
import { nextToGoLive } from "../posts/writing/scheduled-posts";
import { collectGarbageAfter } from "../runtime/garbage-collection";
import { hashSecret } from "../secrets";
import { type FetchHandler, requestCounts } from "./requests/call";
import { readHeader } from "./requests/headers";
import { withEncodings } from "./responses/compression";
import type { Bytes, HttpResponse } from "./responses/response";
import { bytesOfBody, CACHE_CONTROL, sendResponse, withHeaders } from "./responses/response";
import { securityHeadersOf } from "./responses/security-headers";

const CACHE_BYTES = 24 * MEGABYTE;
const OVERHEAD_BYTES = 3000;
/** Longer keys are not cached, because invented long URLs would fill the cache. */
const MAX_KEY_LENGTH = 500;

type CacheableResponse = HttpResponse<string | Bytes | null>;

interface CachedResponse {
  response: HttpResponse;
  expiresAt: number;
  size: number;
}

const caches = new WeakMap<Platen, ResponseCache>();

export function responseCache(platen: Platen): ResponseCache {
  return caches.getOrInsertComputed(platen, () => new ResponseCache(platen));
}

export function disableResponseCache(platen: Platen): void {
  caches.set(platen, new ResponseCache(platen, 0));
}

/**
 * Drops all responses when the database changes, when a scheduled post goes live, when the clock is set back,
 * and daily.
 */
export class ResponseCache {
  private readonly cached = new Map<string, CachedResponse>();
  private bytes = 0;
  private readonly pending = new Map<string, Promise<void>>();
  private version = -1;
  private validUntil = 0;
  private lastRequestAt = 0;

  constructor(
    private readonly platen: Platen,
    private readonly maxBytes = CACHE_BYTES,
  ) {}

  /**
   * Concurrent requests share one response if it can be cached.
   * @param key everything that the response depends on, except the database
   * @param expiresAt milliseconds since 1970
   */
  async getOrMake(
    key: string,
    make: () => CacheableResponse | Promise<CacheableResponse>,
    expiresAt = Number.POSITIVE_INFINITY,
  ): Promise<HttpResponse> {
    for (;;) {
      const response = this.get(key);
      if (response) return response;
      const pending = this.pending.get(key);
      if (!pending) break;
      await pending;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.pending.set(key, promise);
    try {
      return await this.make(key, make, expiresAt);
    } finally {
      if (this.pending.get(key) === promise) this.pending.delete(key);
      resolve();
    }
  }

  get(key: string): HttpResponse | undefined {
    const at = this.platen.now().getTime();
    this.dropOutdated(at);
    const cached = this.cached.get(key);
    if (!cached || cached.expiresAt <= at) return undefined;
    this.cached.delete(key);
    this.cached.set(key, cached);
    return cached.response;
  }

  private async make(key: string, make: () => unknown, expiresAt: number): Promise<HttpResponse> {
    const { version } = this;
    const plain = (await make()) as CacheableResponse;
    const caching = plain.headers.get("cache-control");
    if (plain.status !== 200 || plain.body === null || caching === CACHE_CONTROL.noStore) return plain;
    const body = bytesOfBody(plain.body);
    const whole = withHeaders({ ...plain, body }, securityHeadersOf(this.platen));
    const response = withEncodings(whole, caching !== CACHE_CONTROL.privateNoCache);
    if (this.version === version && key.length <= MAX_KEY_LENGTH)
      this.store(key, { response, expiresAt, size: 2 * body.length + OVERHEAD_BYTES });
    return response;
  }

  private store(key: string, cached: CachedResponse): void {
    this.drop(key);
    this.cached.set(key, cached);
    this.bytes += cached.size;
    for (const leastRecentlyUsed of this.cached.keys()) {
      if (this.bytes <= this.maxBytes) return;
      this.drop(leastRecentlyUsed);
    }
  }

  private drop(key: string): void {
    const cached = this.cached.get(key);
    if (!cached) return;
    this.cached.delete(key);
    this.bytes -= cached.size;
    collectGarbageAfter(cached.size);
  }

  private dropOutdated(at: number): void {
    const version = dataVersionOfTick(this.platen);
    const isSetBack = at < this.lastRequestAt;
    this.lastRequestAt = at;
    if (version === this.version && !isSetBack && at < this.validUntil) return;
    for (const key of this.cached.keys()) this.drop(key);
    this.pending.clear();
    this.version = version;
    this.validUntil = Math.min(nextToGoLive(this.platen, new Date(at)), at + DAY);
  }
}

/**
 * Responds before Elysia runs, because creating Elysia's context takes as long as sending a cached response.
 */
export function serveFromCache(platen: Platen): (app: FetchHandler, request: Request) => FetchHandler {
  const cache = responseCache(platen);
  const counts = requestCounts(platen);
  return (app, request) => {
    counts.requests++;
    const response = cachedResponse(cache, request);
    return response ? () => response : app;
  };
}

export function authorizedCacheKey(request: Request): string {
  return `${request.url} ${hashSecret(readHeader(request, "authorization") ?? "")}`;
}

function cachedResponse(cache: ResponseCache, request: Request): Response | undefined {
  try {
    if (request.method !== "GET") return undefined;
    const authorization = readHeader(request, "authorization");
    const response = cache.get(authorization === null ? request.url : authorizedCacheKey(request));
    readHeader(request, "x-forwarded-for");
    const host = readHeader(request, "x-forwarded-host");
    const isForwarded = host !== null && host !== URL.parse(request.url)?.host;
    return response && !isForwarded ? sendResponse({ request }, response) : undefined;
  } catch {
    return undefined;
  }
}
