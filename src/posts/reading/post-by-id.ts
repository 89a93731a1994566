import { and, eq, isNull, sql } from "drizzle-orm";
import type { Caller } from "../../accounts/keys";
import { type Blog, blogById } from "../../blogs/blogs";
import { prepared } from "../../database/prepared";
import { categories, oldSlugs, posts } from "../../database/schema";
import type { Transaction } from "../../database/transactions";
import { forbidden, notFound } from "../../errors";
import type { Platen } from "../../platen";
import { tagsOf } from "../post/categories-and-tags";
import type { Belongings, Category, Post, PostRow } from "../post/post";
import { attachmentsOf } from "../post/post-attachments";

const postWithId = prepared((db) =>
  db
    .select()
    .from(posts)
    .where(and(eq(posts.id, sql.placeholder("id")), isNull(posts.deletedAt)))
    .prepare(),
);
const postWithSlug = prepared((db) =>
  db
    .select()
    .from(posts)
    .where(
      and(
        eq(posts.blogId, sql.placeholder("blogId")),
        eq(posts.slug, sql.placeholder("slug")),
        isNull(posts.deletedAt),
      ),
    )
    .prepare(),
);

/**
 * The post a caller names. The one place where "not yours" and "not there" are told apart (contract.md 4).
 * @param blogId the blog the caller says it is in
 * @throws Refusal: missing, or forbidden
 */
export function postOf(platen: Platen, caller: Caller, id: number, blogId?: number): Post {
  const row = postWithId(platen.db).get({ id });
  if (!row) throw notFound("post");
  const blog = blogById(platen, row.blogId) as Blog;
  requireReach(caller, blog, "post");
  if (blogId !== undefined && blogId !== blog.id) throw notFound("post in this blog");
  return wholePost(platen.db, row, blog);
}

/** @param what of this blog the caller wants, for the message @throws Refusal (forbidden) */
export function requireReach(caller: Caller, blog: Blog, what: string): void {
  if (blog.accountId !== caller.account.id) throw forbidden(`This ${what} belongs to another account.`);
  if (caller.blogIds && !caller.blogIds.includes(blog.id))
    throw forbidden(`This key is bound to other blogs than this ${what}'s.`);
}

export function postAtSlug(platen: Platen, blog: Blog, slug: string): Post | undefined {
  const row = postWithSlug(platen.db).get({ blogId: blog.id, slug });
  return row && wholePost(platen.db, row, blog);
}

/** The post that used to have this slug. */
export function postOnceAt(platen: Platen, blog: Blog, slug: string): PostRow | undefined {
  return platen.db
    .select({ post: posts })
    .from(oldSlugs)
    .innerJoin(posts, eq(posts.id, oldSlugs.postId))
    .where(and(eq(oldSlugs.blogId, blog.id), eq(oldSlugs.slug, slug), isNull(posts.deletedAt)))
    .get()?.post;
}

/** The row with what belongs to it. */
export function wholePost(db: Transaction, row: PostRow, blog: Blog): Post {
  const category = row.categoryId === null ? null : categoryWithId(db, row.categoryId);
  return withBelongings(db, [{ ...row, blog, category }])[0] as Post;
}

/** Adds tags and attachments to rows, with one query each for all of them. */
export function withBelongings<Row extends { id: number } & Pick<Belongings, "blog" | "category">>(
  db: Transaction,
  rows: Row[],
): (Row & Belongings)[] {
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.id);
  const tags = tagsOf(db, ids);
  const attached = attachmentsOf(db, ids);
  return rows.map((row) => ({
    ...row,
    tags: tags.get(row.id) ?? [],
    attachments: attached.get(row.id) ?? [],
  }));
}

function categoryWithId(db: Transaction, id: number): Category | null {
  return db.select().from(categories).where(eq(categories.id, id)).get() ?? null;
}
