import type { Blog } from "../blogs/blogs";
import type { Platen } from "../platen";
import { type Figure, figuresByMonth } from "../posts/statistics/reading-figures";

/** How many komments came in each of the last months, oldest first, this one included; refused ones apart. */
export function kommentsByMonth(
  platen: Platen,
  blog: Pick<Blog, "id" | "timeZone">,
  months: number,
): Figure<string>[] {
  const statement =
    "SELECT month AS of, komments AS count FROM komment_months WHERE blog_id = ? AND month >= ?";
  return figuresByMonth(platen, blog, months, statement);
}
