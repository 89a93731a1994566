import { isNull } from "drizzle-orm";
import type { Caller } from "../../accounts/keys";
import { type Blog, blogHolding } from "../../blogs/blogs";
import { prepared, rowWith } from "../../database/prepared";
import { posts } from "../../database/schema";
import { forbidden, notFound } from "../../errors";
import type { Platen } from "../../platen";
import { postOfRow } from "../parts/whole-post";
import { isLive } from "../post/live";
import type { Post, PostRow } from "../post/post";

const postWithId = rowWith(posts, ["id"], isNull(posts.deletedAt));

/** What a caller can get at: somebody with a key, or signed in. */
export type Reach = Pick<Caller, "account" | "blogIds">;

/**
 * The post a caller names. The one place where "not yours" and "not there" are told apart (contract.md 4).
 * @param blogId the blog the caller says it is in
 * @throws Refusal: missing, or forbidden
 */
export function postOf(platen: Platen, caller: Reach, id: number, blogId?: number): Post {
  const row = postWithId(platen, { id });
  const blog = blogReached(platen, caller, row, blogId);
  return postOfRow(platen, row as PostRow, blog);
}

/** As `postOf`, of the post's blog. @param known of the post, where something is */
export function blogOfPost(
  platen: Platen,
  caller: Reach,
  id: number,
  blogId?: number,
  known: { blogId: number } | undefined = blogIdOfPost(platen).get(id) ?? undefined,
): Blog {
  return blogReached(platen, caller, known, blogId);
}

const blogIdOfPost = prepared((db) =>
  db.$client.query<{ blogId: number }, [number]>(
    "SELECT blog_id AS blogId FROM posts WHERE id = ? AND deleted_at IS NULL",
  ),
);

function blogReached(platen: Platen, caller: Reach, post?: { blogId: number }, blogId?: number): Blog {
  if (!post) throw notFound("post");
  const blog = blogHolding(platen, post);
  requireReach(caller, blog, "post");
  if (blogId !== undefined && blogId !== blog.id) throw notFound("post in this blog");
  return blog;
}

/** @param what of this blog the caller wants, for the message @throws Refusal (forbidden) */
export function requireReach(caller: Reach, blog: Blog, what: string): void {
  if (blog.accountId !== caller.account.id) throw forbidden(`This ${what} belongs to another account.`);
  if (caller.blogIds && !caller.blogIds.includes(blog.id))
    throw forbidden(`This key is bound to other blogs than this ${what}'s.`);
}

/** The post with this id, where readers can see it at its address. */
export function livePost(platen: Platen, id: number): Post | undefined {
  const row = postWithId(platen, { id });
  return row && isLive(row, platen.now()) ? postOfRow(platen, row) : undefined;
}
