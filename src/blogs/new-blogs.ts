import type { Account } from "../accounts/accounts";
import { recordAuditEvent } from "../accounts/audit-log";
import { MAX_LENGTHS } from "../config/request-limits";
import { insertRow } from "../database/rows";
import { blogs } from "../database/schema";
import { assertNoFieldErrors, collectErrors, type FieldErrors, tooLong } from "../errors";
import type { Platen } from "../platen";
import { STANDARD_THEME } from "../themes/theme-list";
import { blogDomainError, blogSlugError, domainOf, mayTakeAnyName, type NameOwner } from "./blog-addresses";
import { type Blog, MAX_BLOG_TITLE_LENGTH } from "./blogs";
import { freeSlug, MAX_SLUG_LENGTH, slugify } from "./slug";

export interface NewBlog {
  title: string;
  slug?: string;
  domain?: string | null;
}

/** Call this function in a transaction. @throws Refusal (invalid) for `title`, `slug` or `domain` */
export function addBlog(platen: Platen, account: Account, input: NewBlog): Blog {
  assertNoFieldErrors(newBlogErrors(platen, account, input));
  const at = platen.now();
  const { domain, ...named } = normalizeNewBlog(platen, account, input);
  const domains = mayTakeAnyName(platen, account) ? { domain } : { pendingDomain: domain };
  const row = { ...BLOG_DEFAULTS, accountId: account.id, ...named, ...domains, createdAt: at, updatedAt: at };
  const blog = insertRow(platen, blogs, row);
  recordAuditEvent(platen, "added a blog", { account, about: blog.title });
  return blog;
}

export function newBlogErrors(platen: Platen, account: NameOwner, input: NewBlog): FieldErrors {
  const { title, slug, domain } = normalizeNewBlog(platen, account, input);
  return collectErrors({
    title: title === "" ? "must not be empty" : tooLong(title, MAX_BLOG_TITLE_LENGTH),
    slug: blogSlugError(platen, account, slug),
    domain: input.domain?.trim() && blogDomainError(platen, account, domain),
  });
}

function normalizeNewBlog(platen: Platen, account: NameOwner, input: NewBlog) {
  const title = input.title.trim();
  const isTaken = (slug: string) => slug !== "" && blogSlugError(platen, account, slug) !== undefined;
  const slug = input.slug?.trim()
    ? slugify(input.slug.slice(0, MAX_LENGTHS.requestedSlug), MAX_SLUG_LENGTH)
    : freeSlug(slugify(title.slice(0, MAX_BLOG_TITLE_LENGTH)) || "blog", isTaken);
  return { title, slug, domain: input.domain?.trim() ? domainOf(input.domain.trim()) : null };
}

/** `platen blog set` restores these values for options with an empty value. */
export const BLOG_DEFAULTS = {
  language: "en",
  timeZone: "UTC",
  theme: STANDARD_THEME,
  postsAPage: 20,
  feedContent: "full",
  kommentsOpen: true,
  kommentsModerated: true,
} as const satisfies Partial<typeof blogs.$inferInsert>;
