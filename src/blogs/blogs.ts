import { and, asc, eq, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { type Account, accountById } from "../accounts/accounts";
import { recordAuditEvent } from "../accounts/audit-log";
import { MAX_LENGTHS } from "../config/request-limits";
import { findRowByColumn, findRows, prepared, updateRow } from "../database/rows";
import { blogs, removals } from "../database/schema";
import { requireFound } from "../errors";
import type { Platen } from "../platen";

export type Blog = typeof blogs.$inferSelect;

export const MAX_BLOG_TITLE_LENGTH = 200;

/** Blogs that are being removed (see src/upkeep/removal) count as missing. */
export const isNotBeingRemoved = (blogId: SQLiteColumn) =>
  sql`not exists (select 1 from ${removals} where ${removals.blogId} = ${blogId})`;

const byId = findRowByColumn(blogs, "id", isNotBeingRemoved(blogs.id));

export function blogById(platen: Platen, id: number | null): Blog | undefined {
  return id === null ? undefined : byId(platen, id);
}

const ofAccount = prepared((db) => {
  const isOfAccount = and(eq(blogs.accountId, sql.placeholder("accountId")), isNotBeingRemoved(blogs.id));
  return db.select().from(blogs).where(isOfAccount).orderBy(asc(blogs.id)).prepare();
});

/** @throws Refusal (missing) if the blog is being removed or does not exist */
export function blogOfRow(platen: Platen, { blogId }: { blogId: number | null }): Blog {
  return requireFound(blogById(platen, blogId), "blog");
}

export function blogsOf(platen: Platen, account: Pick<Account, "id">): Blog[] {
  return ofAccount(platen).all({ accountId: account.id });
}

export function listBlogs(platen: Platen): Blog[] {
  return findRows(platen, blogs, isNotBeingRemoved(blogs.id), { orderBy: blogs.id });
}

export const blogWithSlug = findRowByColumn(blogs, "slug", isNotBeingRemoved(blogs.id));
export const blogWithDomain = findRowByColumn(blogs, "domain", isNotBeingRemoved(blogs.id));

export function ownerName(platen: Platen, blog: Blog): string {
  return accountById(platen, blog.accountId)?.name ?? blog.title;
}

/**
 * Call this function in a transaction.
 * @param changes channel → its settings; undefined turns the channel off
 */
export function changeReach(platen: Platen, blogId: number, changes: Record<string, unknown>): Blog {
  const { reach } = blogOfRow(platen, { blogId });
  const channels = Object.entries({ ...reach, ...changes }).filter(([, settings]) => settings !== undefined);
  const changed = channels.length > 0 ? Object.fromEntries(channels) : null;
  return updateBlog(platen, blogId, { reach: changed });
}

export function updateBlog(platen: Platen, id: number, changes: Partial<Blog>): Blog {
  return updateRow(platen, blogs, { id }, { ...changes, updatedAt: platen.now() }) as Blog;
}

export function recordSettingsChange(platen: Platen, blog: Blog, what: string): void {
  const account = accountById(platen, blog.accountId) ?? null;
  recordAuditEvent(platen, "changed settings", { account, about: `${blog.title}: ${what}` });
}

/** Its URL is the base URL, unless the blog has a domain. */
export function homeBlog(platen: Platen): Blog | undefined {
  return firstBlog(platen).get();
}

const firstBlog = prepared((db) =>
  db.select().from(blogs).where(isNotBeingRemoved(blogs.id)).orderBy(asc(blogs.id)).limit(1).prepare(),
);

/** Cached by the blog's row, because lists need the URL for every post. */
const urls = new WeakMap<object, string>();

export function blogUrl(platen: Platen, blog: Pick<Blog, "id" | "slug" | "domain">): string {
  return urls.getOrInsertComputed(blog, () => {
    const { id, slug, domain } = blog;
    const { url } = platen.config;
    const { protocol, port } = new URL(url);
    if (domain) return `${protocol}//${domain}${port && `:${port}`}/`;
    return homeBlog(platen)?.id === id ? `${url}/` : `${url}/@${slug}/`;
  });
}

export function postUrl(platen: Platen, blog: Pick<Blog, "id" | "slug" | "domain">, post: { slug: string }) {
  return blogUrl(platen, blog) + post.slug;
}

/** Begins with the base URL, so that the link works even after the blog has moved. */
export function shareUrl(platen: Platen, shareId: string): string {
  return `${platen.config.url}/share/${shareId}`;
}

/** Ignores case, scheme and trailing slashes: "example.com/@ada" is the page "https://example.com/@ada/". */
export function isSamePage(typed: string, url: string): boolean {
  return typed.length <= MAX_LENGTHS.webAddress && bareAddress(typed) === bareAddress(url);
}

function bareAddress(text: string): string {
  const address = text.trim().toLowerCase();
  const start = /^https?:\/\//.exec(address)?.[0].length ?? 0;
  let end = address.length;
  while (end > start && address[end - 1] === "/") end--;
  return address.slice(start, end);
}
