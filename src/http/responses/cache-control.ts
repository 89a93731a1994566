/** Values of Cache-Control (RFC 9111 5.2): for how long browsers and caches keep what was answered. */
export const CACHE_CONTROL = {
  nowhere: "no-store",
  /** Kept by the client alone, which asks each time whether it has changed. */
  byClient: "private, no-cache",
  /** Kept by anybody, who asks each time whether it has changed. */
  asking: "public, no-cache",
  /** Kept for a year: other content has another address. */
  forGood: "public, max-age=31536000, immutable",
};

/** In seconds: pages name days, and a request to forget them may be lost. */
const KEPT_UNTIL_PURGED = 86_400;

/**
 * For caches that are told when pages change, beside a Cache-Control for all others: as most CDNs read it (RFC 9213), as
 * Fastly and Varnish do, and as nginx does.
 */
export const CDN_CACHE_HEADERS = {
  "cdn-cache-control": `public, max-age=${KEPT_UNTIL_PURGED}`,
  "surrogate-control": `max-age=${KEPT_UNTIL_PURGED}`,
  "x-accel-expires": String(KEPT_UNTIL_PURGED),
};
