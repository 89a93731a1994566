import { DAY, MEGABYTE } from "../../config/units";
import { dataVersionOfTick } from "../../database/change-counter";
import type { Platen } from "../../platen";
import { nextToGoLive } from "../../posts/post/live";
import { collectGarbageAfter } from "../../runtime/garbage-collection";
import { compressible } from "../responses/compression";
import {
  type Bytes,
  bytesOfBody,
  CACHE_CONTROL,
  type HttpResponse,
  isLargeBody,
  reusableResponse,
  withHeaders,
} from "../responses/response";
import { securityHeadersOf } from "../responses/security-headers";
import { LruCache } from "./lru-cache";

/** Includes compressed bodies. */
const CACHE_BYTES = 24 * MEGABYTE;
/** Estimate for headers, key and objects of one response. */
const OVERHEAD_BYTES = 3000;
/** Invented long URLs would fill the cache. */
const MAX_KEY_LENGTH = 500;

type CacheableResponse = HttpResponse<string | Bytes | null>;

interface CachedResponse {
  response: HttpResponse;
  /** Milliseconds since 1970. */
  expiresAt: number;
  /** In bytes, with compressed bodies. */
  size: number;
  /** Bytes in Blobs, whose size the garbage collector does not see. */
  blobBytes: number;
}

const caches = new WeakMap<Platen, ResponseCache>();

export function responseCache(platen: Platen): ResponseCache {
  return caches.getOrInsertComputed(platen, () => new ResponseCache(platen));
}

/** For static exports, which request each page once. */
export function disableResponseCache(platen: Platen): void {
  caches.set(platen, new ResponseCache(platen, 0));
}

/**
 * Caches responses per URL. All are dropped when the database changes (by any process), when a post goes live, when the
 * clock is set back, and after a day.
 */
export class ResponseCache {
  private readonly cached: LruCache<string, CachedResponse>;
  /** Key → resolves when the response is made or has failed. */
  private readonly pending = new Map<string, Promise<void>>();
  private version = -1;
  private validUntil = 0;
  private lastRequestAt = 0;

  constructor(
    private readonly platen: Platen,
    bytes = CACHE_BYTES,
  ) {
    this.cached = new LruCache(bytes, ({ blobBytes }) => collectGarbageAfter(blobBytes));
  }

  /**
   * Concurrent requests share one response if it can be cached: status 200 without "no-store".
   * @param key everything the response depends on except the database
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
    return cached && cached.expiresAt > at ? cached.response : undefined;
  }

  private async make(key: string, make: () => unknown, expiresAt: number): Promise<HttpResponse> {
    const { version } = this;
    const { body: made, ...head } = (await make()) as CacheableResponse;
    const body = isLargeBody(made) ? bytesOfBody(made) : made;
    const caching = head.headers.get("cache-control");
    if (head.status !== 200 || body === null || caching === CACHE_CONTROL.noStore) return { ...head, body };
    const whole = withHeaders({ ...head, body }, securityHeadersOf(this.platen));
    const isPrivate = caching === CACHE_CONTROL.privateNoCache;
    const bodyBytes = bodySize(body);
    const onBlob = ({ size }: Blob) => {
      cached.blobBytes += size;
      // An uncompressed Blob replaces the body.
      this.cached.grow(key, cached, isPrivate ? size - bodyBytes : size);
    };
    const response = isPrivate ? reusableResponse(whole, onBlob) : compressible(whole, onBlob);
    const cached: CachedResponse = { response, expiresAt, size: bodyBytes + OVERHEAD_BYTES, blobBytes: 0 };
    if (this.version === version && key.length <= MAX_KEY_LENGTH) this.cached.set(key, cached);
    return response;
  }

  private dropOutdated(at: number): void {
    const version = dataVersionOfTick(this.platen);
    const isSetBack = at < this.lastRequestAt;
    this.lastRequestAt = at;
    if (version === this.version && !isSetBack && at < this.validUntil) return;
    this.cached.clear();
    this.pending.clear();
    this.version = version;
    this.validUntil = Math.min(nextToGoLive(this.platen, new Date(at)), at + DAY);
  }
}

/** In bytes; a string may use two per character. */
function bodySize(body: string | Bytes): number {
  return typeof body === "string" ? 2 * body.length : body.length;
}
