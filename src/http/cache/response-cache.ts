import { DAY, MEGABYTE } from "../../config/units";
import { dataVersionOfTick } from "../../database/data-version";
import type { Platen } from "../../platen";
import { nextToGoLive } from "../../posts/post/live";
import { collectGarbageAfter } from "../../runtime/garbage-collection";
import { CACHE_CONTROL } from "../responses/cache-control";
import { compressible } from "../responses/compression";
import {
  type Bytes,
  bytesOf,
  type HttpResponse,
  isLarge,
  reusableResponse,
  withHeaders,
} from "../responses/response";
import { securityHeadersOf } from "../responses/security-headers";
import { LruCache } from "./lru-cache";

/** With packed forms; the least recently used responses are evicted. */
const CACHE_BYTES = 24 * MEGABYTE;
/** Headers, key and objects of one response, roughly. */
const OVERHEAD_BYTES = 3000;
/** Made-up URLs would fill the cache. */
const MAX_KEY_LENGTH = 500;

type Makeable = HttpResponse<string | Bytes | null>;

interface Cached {
  response: HttpResponse;
  /** Milliseconds since 1970. */
  expiresAt: number;
  /** Bytes, with packed forms. */
  size: number;
  /** Bytes of packed forms and copies, which the garbage collector hardly sees. */
  blobBytes: number;
}

const caches = new WeakMap<Platen, ResponseCache>();

export function responseCache(platen: Platen): ResponseCache {
  return caches.getOrInsertComputed(platen, () => new ResponseCache(platen));
}

/** For a process that requests everything once. */
export function disableResponseCache(platen: Platen): void {
  caches.set(platen, new ResponseCache(platen, 0));
}

/**
 * Responses, made once per database version and packed once per encoding. All are dropped if anything in the database
 * changes (by this process or another), if a post goes live or the clock is set back, and after a day.
 */
export class ResponseCache {
  private readonly cached: LruCache<string, Cached>;
  /** Key → settled once the response is made, or has failed. */
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
   * Simultaneous requests wait for the first to be made, and share it if it is cached: status 200, no "no-store".
   * @param key all that the response depends on besides the database
   */
  async getOrMake(
    key: string,
    make: () => Makeable | Promise<Makeable>,
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
    const { body: made, ...head } = (await make()) as Makeable;
    const body = isLarge(made) ? bytesOf(made) : made;
    const caching = head.headers.get("cache-control");
    if (head.status !== 200 || body === null || caching === CACHE_CONTROL.nowhere) return { ...head, body };
    const whole = withHeaders({ ...head, body }, securityHeadersOf(this.platen));
    const isForOne = caching === CACHE_CONTROL.byClient;
    const bodyBytes = memoryOf(body);
    const onBlob = ({ size }: Blob) => {
      cached.blobBytes += size;
      // The blob of a response that is not packed replaces its body.
      this.cached.grow(key, cached, isForOne ? size - bodyBytes : size);
    };
    const response = isForOne ? reusableResponse(whole, onBlob) : compressible(whole, onBlob);
    const cached: Cached = { response, expiresAt, size: bodyBytes + OVERHEAD_BYTES, blobBytes: 0 };
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

/** Bytes; a string may take two for each character. */
function memoryOf(body: string | Bytes): number {
  return typeof body === "string" ? 2 * body.length : body.length;
}
