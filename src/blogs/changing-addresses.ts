import { and, eq, like } from "drizzle-orm";
import { type Account, accountById } from "../accounts/accounts";
import { recordAuditEvent } from "../accounts/audit-log";
import { saveSetting } from "../database/instance-settings";
import { blogs, settings } from "../database/schema";
import { assertNoFieldErrors, conflict, type FieldErrors } from "../errors";
import type { Platen } from "../platen";
import { blogDomainError, blogSlugError, domainOf, mayTakeAnyName, previousPlaceSetting } from "./blog-names";
import { type Blog, blogById, updateBlog } from "./blogs";
import { blogUrl } from "./permalinks";
import { MAX_SLUG_LENGTH, slugify } from "./slug";

/** Missing fields stay unchanged. */
export interface AddressChanges {
  slug?: string;
  /** "" removes the domain. */
  domain?: string;
}

/**
 * The previous URLs redirect until another blog takes them. An author's new domain stays pending until a
 * check finds that it points to this server, or an admin approves it. Call this function in a transaction.
 * @returns the URL of the blog
 * @throws Refusal (invalid) for `slug` or `domain`
 */
export function moveBlog(platen: Platen, blog: Blog, changes: AddressChanges): string {
  const owner = accountById(platen, blog.accountId) as Account;
  const slug = changes.slug === undefined ? blog.slug : slugify(changes.slug, MAX_SLUG_LENGTH);
  const requested = changes.domain?.trim();
  const domain = requested ? domainOf(requested) : null;
  const errors: FieldErrors = {};
  const slugError = slug !== blog.slug && blogSlugError(platen, owner, slug, blog.id);
  if (slugError) errors.slug = [slugError];
  const domainProblem =
    requested && (!domain || domain !== blog.domain) && blogDomainError(platen, owner, domain, blog.id);
  if (domainProblem) errors.domain = [domainProblem];
  assertNoFieldErrors(errors);
  if (requested === undefined) return changeAddress(platen, blog, { slug }, owner);
  const isInUse = !domain || domain === blog.domain || mayTakeAnyName(platen, owner);
  const domains = isInUse ? { domain, pendingDomain: null } : { pendingDomain: domain };
  return changeAddress(platen, blog, { slug, ...domains }, owner);
}

/**
 * Call this function in a transaction, after verification or an admin's approval.
 * @param by the blog's owner, or the admin who approved the domain
 * @returns the URL of the blog
 * @throws Refusal: invalid for `domain`; conflict if the domain is no longer pending
 */
export function usePendingDomain(platen: Platen, { id }: Pick<Blog, "id">, domain: string, by: Account) {
  const blog = blogById(platen, id);
  if (blog?.pendingDomain !== domain) throw conflict(`${domain} is not the pending domain of this blog.`);
  const error = blogDomainError(platen, by, domain, blog.id);
  assertNoFieldErrors(error ? { domain: [error] } : {});
  return changeAddress(platen, blog, { domain, pendingDomain: null }, by);
}

type Addresses = Pick<Blog, "slug" | "domain" | "pendingDomain">;

function changeAddress(platen: Platen, blog: Blog, changes: Partial<Addresses>, by: Account): string {
  const moved = { ...blog, ...changes };
  if (moved.slug !== blog.slug) rememberPlace(platen, blog, `@${blog.slug}`);
  if (blog.domain && moved.domain !== blog.domain) rememberPlace(platen, blog, blog.domain);
  updateBlog(platen, blog.id, changes);
  const url = blogUrl(platen, moved);
  const account = accountById(platen, blog.accountId) ?? null;
  if (moved.slug !== blog.slug || moved.domain !== blog.domain)
    recordAuditEvent(platen, "moved a blog", { account, about: `${blog.title}: ${url}`, by });
  return url;
}

function rememberPlace(platen: Platen, { id }: Pick<Blog, "id">, place: string): void {
  saveSetting(platen, previousPlaceSetting(place), String(id));
}

/**
 * Redirects to a removed blog stop. Afterwards, only admins and commands can give its names to another blog.
 */
export function releaseBlogNames(platen: Platen, blogId: number): void {
  const isOfBlog = and(like(settings.name, previousPlaceSetting("%")), eq(settings.value, String(blogId)));
  platen.db
    .update(settings)
    .set({ value: String(NO_BLOG_ID) })
    .where(isOfBlog)
    .run();
  const blog = platen.db.select().from(blogs).where(eq(blogs.id, blogId)).get();
  const places = blog ? [`@${blog.slug}`, blog.domain] : [];
  for (const place of places) if (place) rememberPlace(platen, { id: NO_BLOG_ID }, place);
}

/** Ids start at 1. */
const NO_BLOG_ID = 0;
