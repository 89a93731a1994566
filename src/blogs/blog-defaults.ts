import type { blogs } from "../database/schema";
import { STANDARD_THEME } from "../themes/themes";

/** What a new blog begins with, and what `platen blog set` goes back to where a value is empty. */
export const BLOG_DEFAULTS = {
  /** A language tag (BCP 47). */
  language: "en",
  /** A name of the IANA time zone database. */
  timeZone: "UTC",
  theme: STANDARD_THEME,
  postsAPage: 20,
  kommentsOpen: true,
  /** Komments wait for the owner. */
  kommentsModerated: true,
} as const satisfies Partial<typeof blogs.$inferInsert>;
