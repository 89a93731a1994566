import type { Blog } from "../../blogs/blogs";
import type { Platen } from "../../platen";
import { runListStatements } from "../lists/selecting-and-paging";
import type { Category, Status } from "../post/post";
import { topicsByName } from "./topics";

export interface CountedCategory extends Category {
  counts: Record<"published" | "scheduled" | "draft" | "archived" | "all", number>;
}

interface CategoryCount {
  categoryId: number;
  status: Status;
  isFuture: 0 | 1;
  n: number;
}

export async function categoriesWithCounts(platen: Platen, blog: Blog): Promise<CountedCategory[]> {
  const [rows] = await runListStatements<[CategoryCount]>(platen, [
    {
      sql: `SELECT category_id AS categoryId, status, status = 'published' AND published_at > +$now AS isFuture, count(*) AS n
        FROM posts INDEXED BY posts_of_category
        WHERE category_id IN (SELECT id FROM categories WHERE blog_id = +$blogId) AND blog_id = +$blogId AND deleted_at IS NULL
        GROUP BY 1, 2, 3`,
      values: { blogId: blog.id, now: platen.now().getTime() },
    },
  ]);
  const byCategory = Map.groupBy(rows, ({ categoryId }) => categoryId);
  return topicsByName(platen, "category", blog.id).map((category) => {
    const counts = { published: 0, scheduled: 0, draft: 0, archived: 0, all: 0 };
    for (const { status, isFuture, n } of byCategory.get(category.id) ?? []) {
      counts[isFuture ? "scheduled" : status] += n;
      counts.all += n;
    }
    return { ...category, counts };
  });
}
