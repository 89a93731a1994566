import type { blogs } from "../database/schema";
import { STANDARD_THEME } from "../themes/themes";

/** Defaults of a new blog. `platen blog set` restores them for empty values. */
export const BLOG_DEFAULTS = {
  /** Language tag (BCP 47). */
  language: "en",
  /** Name in the IANA time zone database. */
  timeZone: "UTC",
  theme: STANDARD_THEME,
  postsAPage: 20,
  feedContent: "full",
  kommentsOpen: true,
  /** Komments wait for the owner's approval. */
  kommentsModerated: true,
} as const satisfies Partial<typeof blogs.$inferInsert>;
