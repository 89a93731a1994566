import { and, asc, eq, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { type Account, accountById } from "../accounts/accounts";
import { recordAuditEvent } from "../accounts/audit-log";
import { MAX_LENGTHS } from "../config/request-limits";
import { findRowBy, prepared } from "../database/prepared";
import { blogs, removals } from "../database/schema";
import { assertNoFieldErrors, type FieldErrors, notFound } from "../errors";
import type { Platen } from "../platen";
import { STANDARD_THEME } from "../themes/theme-list";
import {
  baseHost,
  blogDomainError,
  blogSlugError,
  domainOf,
  HOME_HOST,
  mayTakeAnyName,
  type NameOwner,
} from "./blog-names";
import { freeSlug, MAX_SLUG_LENGTH, slugify } from "./slug";

export type Blog = typeof blogs.$inferSelect;

export const MAX_BLOG_TITLE_LENGTH = 200;

export interface NewBlog {
  title: string;
  slug?: string;
  domain?: string | null;
}

/** A blog that is being removed (see src/upkeep/removal) counts as missing. */
export const isNotBeingRemoved = (blogId: SQLiteColumn) =>
  sql`not exists (select 1 from ${removals} where ${removals.blogId} = ${blogId})`;

/**
 * Call this function in a transaction.
 * @throws Refusal (invalid) for `title`, `slug` or `domain`
 */
export function addBlog(platen: Platen, account: Account, input: NewBlog): Blog {
  assertNoFieldErrors(newBlogErrors(platen, account, input));
  const at = platen.now();
  const { domain, ...named } = normalizeNewBlog(platen, account, input);
  const blog = platen.db
    .insert(blogs)
    .values({
      ...BLOG_DEFAULTS,
      accountId: account.id,
      ...named,
      ...(mayTakeAnyName(platen, account) ? { domain } : { pendingDomain: domain }),
      createdAt: at,
      updatedAt: at,
    })
    .returning()
    .get();
  recordAuditEvent(platen, "added a blog", { account, about: blog.title });
  return blog;
}

export function newBlogErrors(platen: Platen, account: NameOwner, input: NewBlog): FieldErrors {
  const { title, slug, domain } = normalizeNewBlog(platen, account, input);
  const errors: FieldErrors = {};
  if (title === "") errors.title = ["must not be empty"];
  if (title.length > MAX_BLOG_TITLE_LENGTH)
    errors.title = [`must be at most ${MAX_BLOG_TITLE_LENGTH} characters`];
  const slugError = blogSlugError(platen, account, slug);
  if (slugError) errors.slug = [slugError];
  const domainError = input.domain?.trim() && blogDomainError(platen, account, domain);
  if (domainError) errors.domain = [domainError];
  else if (domain && domain === baseHost(platen) && listBlogs(platen).length > 0) errors.domain = [HOME_HOST];
  return errors;
}

function normalizeNewBlog(
  platen: Platen,
  account: NameOwner,
  input: NewBlog,
): Pick<Blog, "title" | "slug" | "domain"> {
  const title = input.title.trim();
  return {
    title,
    slug: input.slug?.trim()
      ? slugify(input.slug.slice(0, MAX_LENGTHS.requestedSlug), MAX_SLUG_LENGTH)
      : freeBlogSlug(platen, account, title.slice(0, MAX_BLOG_TITLE_LENGTH)),
    domain: input.domain?.trim() ? domainOf(input.domain.trim()) : null,
  };
}

function freeBlogSlug(platen: Platen, account: NameOwner, title: string): string {
  return freeSlug(
    slugify(title) || "blog",
    (slug) => slug !== "" && blogSlugError(platen, account, slug) !== undefined,
  );
}

const byId = findRowBy(blogs, ["id"], isNotBeingRemoved(blogs.id));

export function blogById(platen: Platen, id: number | null): Blog | undefined {
  return id === null ? undefined : byId(platen, { id });
}

const ofAccount = prepared((db) =>
  db
    .select()
    .from(blogs)
    .where(and(eq(blogs.accountId, sql.placeholder("accountId")), isNotBeingRemoved(blogs.id)))
    .orderBy(asc(blogs.id))
    .prepare(),
);

/** @throws Refusal (missing) if the blog is being removed or does not exist */
export function blogOfRow(platen: Platen, { blogId }: { blogId: number | null }): Blog {
  const blog = blogById(platen, blogId);
  if (!blog) throw notFound("blog");
  return blog;
}

export function blogsOf(platen: Platen, account: Pick<Account, "id">): Blog[] {
  return ofAccount(platen).all({ accountId: account.id });
}

export function listBlogs(platen: Platen): Blog[] {
  return platen.db.select().from(blogs).where(isNotBeingRemoved(blogs.id)).orderBy(asc(blogs.id)).all();
}

const bySlug = findRowBy(blogs, ["slug"], isNotBeingRemoved(blogs.id));

export function blogWithSlug(platen: Platen, slug: string): Blog | undefined {
  return bySlug(platen, { slug });
}

const byDomain = findRowBy(blogs, ["domain"], isNotBeingRemoved(blogs.id));

export function blogWithDomain(platen: Platen, domain: string): Blog | undefined {
  return byDomain(platen, { domain });
}

/**
 * Call this function in a transaction.
 * @param changes channel → its settings; undefined turns the channel off
 */
export function changeReach(platen: Platen, blogId: number, changes: Record<string, unknown>): Blog {
  const { reach } = blogOfRow(platen, { blogId });
  const channels = Object.entries({ ...reach, ...changes }).filter(([, settings]) => settings !== undefined);
  return platen.db
    .update(blogs)
    .set({ reach: channels.length > 0 ? Object.fromEntries(channels) : null, updatedAt: platen.now() })
    .where(eq(blogs.id, blogId))
    .returning()
    .get();
}

/** @param what text after the blog's title in the audit log, such as "newsletter on" */
export function recordSettingsChange(platen: Platen, blog: Blog, what: string): void {
  const account = accountById(platen, blog.accountId) ?? null;
  recordAuditEvent(platen, "changed settings", { account, about: `${blog.title}: ${what}` });
}

/** `platen blog set` restores these values if it gets an empty value. */
export const BLOG_DEFAULTS = {
  language: "en",
  timeZone: "UTC",
  theme: STANDARD_THEME,
  postsAPage: 20,
  feedContent: "full",
  kommentsOpen: true,
  kommentsModerated: true,
} as const satisfies Partial<typeof blogs.$inferInsert>;
