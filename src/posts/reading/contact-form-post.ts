import { and, asc, eq } from "drizzle-orm";
import type { Blog } from "../../blogs/blogs";
import { posts } from "../../database/schema";
import type { Platen } from "../../platen";
import { liveAt } from "../post/live";
import type { PostRow } from "../post/post";

/** The first page of the blog that readers can write to its owner on. */
export function contactPage(platen: Platen, blog: Blog): Pick<PostRow, "slug"> | undefined {
  return platen.db
    .select({ slug: posts.slug })
    .from(posts)
    .where(
      and(
        eq(posts.blogId, blog.id),
        eq(posts.type, "page"),
        eq(posts.showContactForm, true),
        liveAt(platen.now()),
      ),
    )
    .orderBy(asc(posts.id))
    .get();
}
