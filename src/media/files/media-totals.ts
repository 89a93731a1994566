import { eq } from "drizzle-orm";
import { mediaTotals } from "../../database/schema";
import type { Platen } from "../../platen";

/** How many files a blog has, and their bytes, without the sizes made from them; by counters. */
export function mediaTotalsOf({ db }: Platen, { id }: { id: number }): { files: number; bytes: number } {
  return db.select().from(mediaTotals).where(eq(mediaTotals.blogId, id)).get() ?? { files: 0, bytes: 0 };
}
