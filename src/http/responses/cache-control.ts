export const CACHE_CONTROL = {
  noStore: "no-store",
  privateNoCache: "private, no-cache",
  publicNoCache: "public, no-cache",
  immutable: "public, max-age=31536000, immutable",
};

/** In seconds. Limited, because a purge request may get lost. */
const CDN_MAX_AGE = 86_400;

/** For CDNs that are purged when pages change: RFC 9213 (most CDNs), Fastly and Varnish, nginx. */
export const CDN_CACHE_HEADERS = {
  "cdn-cache-control": `public, max-age=${CDN_MAX_AGE}`,
  "surrogate-control": `max-age=${CDN_MAX_AGE}`,
  "x-accel-expires": String(CDN_MAX_AGE),
};
