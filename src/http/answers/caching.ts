/** Values of Cache-Control (RFC 9111 5.2): for how long browsers and caches keep what was answered. */
export const CACHING = {
  nowhere: "no-store",
  /** Kept by the client alone, which asks each time whether it has changed. */
  byClient: "private, no-cache",
  /** Kept by anybody, who asks each time whether it has changed. */
  asking: "public, no-cache",
  /** Kept for a year: other content has another address. */
  forGood: "public, max-age=31536000, immutable",
};
