import { and, desc, eq, getTableColumns, isNull, lte, sql } from "drizzle-orm";
import type { Blog } from "../blogs/blogs";
import { posts } from "../database/schema";
import type { Platen } from "../platen";
import type { PostRow } from "./post";

/** How much of a post's text its excerpt may be made from, in characters. */
const TEXT_READ = 600;

const { source, html, text, ...HEAD } = getTableColumns(posts);

/** A post as a front page shows it: its head and the beginning of its text, or all of it where it has no title. */
export type FrontPagePost = Omit<PostRow, "source" | "html"> & { html: string | null };

/**
 * One page of what readers find at a blog's address: live posts, newest first, without pages and hidden posts.
 * @param page from 1
 */
export function frontPage(
  platen: Platen,
  blog: Blog,
  { page, limit }: { page: number; limit: number },
): { posts: FrontPagePost[]; hasOlder: boolean } {
  const rows = platen.db
    .select({
      ...HEAD,
      text: sql<string>`substr(${text}, 1, ${TEXT_READ})`,
      html: sql<string | null>`iif(${posts.title} = '', ${html}, null)`,
    })
    .from(posts)
    .where(
      and(
        eq(posts.blogId, blog.id),
        eq(posts.status, "published"),
        lte(posts.publishedAt, platen.now()),
        isNull(posts.deletedAt),
        eq(posts.type, "post"),
        eq(posts.hidden, false),
      ),
    )
    .orderBy(desc(posts.publishedAt), desc(posts.id))
    .limit(limit + 1)
    .offset((page - 1) * limit)
    .all();
  return { posts: rows.slice(0, limit), hasOlder: rows.length > limit };
}
