import type { Blog } from "../../blogs/blogs";
import type { Platen } from "../../platen";
import { STATUSES, TYPES } from "../lists/list-order";
import { countPosts } from "../lists/totals";
import type { Category } from "../post/post";
import { topicsByName } from "../topics/topic-names";

export interface CountedCategory extends Category {
  /** Posts and pages that are live, scheduled …; what is deleted is not counted. */
  counts: Record<"published" | "scheduled" | "draft" | "archived" | "all", number>;
}

/** A blog's categories by name, those without posts too. */
export function categoriesWithCounts(platen: Platen, blog: Blog): CountedCategory[] {
  const notLive = platen.now().getTime() + 1;
  return topicsByName(platen, "category", blog.id).map((category) => {
    const ofCategory = { blogId: blog.id, types: TYPES, categoryId: category.id };
    const [all, draft, archived] = [STATUSES, ["draft"] as const, ["archived"] as const].map((statuses) =>
      countPosts(platen, { ...ofCategory, statuses }),
    ) as [number, number, number];
    const scheduled = countPosts(platen, { ...ofCategory, statuses: ["published"], from: notLive });
    const published = all - draft - archived - scheduled;
    return { ...category, counts: { published, scheduled, draft, archived, all } };
  });
}
