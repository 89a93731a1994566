/** Values of Cache-Control (RFC 9111 5.2). */
export const CACHE_CONTROL = {
  noStore: "no-store",
  /** Only the client may store the response, and revalidates it each time. */
  privateNoCache: "private, no-cache",
  /** Shared caches may store the response, and revalidate it each time. */
  publicNoCache: "public, no-cache",
  /** Caches for a year, because changed content gets another URL. */
  immutable: "public, max-age=31536000, immutable",
};

/** Maximum age in seconds. Limited, because a purge request may be lost. */
const CDN_MAX_AGE = 86_400;

/** For CDNs that are purged when pages change: RFC 9213 (most CDNs), Fastly and Varnish, nginx. */
export const CDN_CACHE_HEADERS = {
  "cdn-cache-control": `public, max-age=${CDN_MAX_AGE}`,
  "surrogate-control": `max-age=${CDN_MAX_AGE}`,
  "x-accel-expires": String(CDN_MAX_AGE),
};
