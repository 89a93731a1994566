import { isIP } from "node:net";
import { and, eq, like } from "drizzle-orm";
import { type Account, accountById } from "../accounts/accounts";
import { recordAuditEvent } from "../accounts/audit-log";
import { getSetting, saveSetting } from "../database/instance-settings";
import { findRow, updateRows } from "../database/rows";
import { blogs, settings } from "../database/schema";
import { assertRules, conflict } from "../errors";
import type { Platen } from "../platen";
import { type Blog, blogById, blogUrl, blogWithDomain, blogWithSlug, homeBlog, updateBlog } from "./blogs";
import { MAX_SLUG_LENGTH, NO_BLOG, slugify } from "./slug";

/** `path` is "" or begins with "/". It is below the blog's URL: "/hello" for "/@slug/hello". */
export interface AddressInBlog {
  blog: Blog;
  path: string;
}

/**
 * @param host host name without port; an unknown host counts as the host of the base URL
 * @param path percent-encoded
 */
export function blogAtAddress(platen: Platen, host: string, path: string): AddressInBlog | undefined {
  const own = blogAtHost(platen, host.toLowerCase());
  if (own) return { blog: own, path };
  const named = /^\/@([^/]+)(\/.*)?$/.exec(path);
  if (named) {
    const blog = blogWithSlugEver(platen, named[1] as string);
    return blog && { blog, path: named[2] ?? "" };
  }
  const home = homeBlog(platen);
  return home && { blog: home, path };
}

/** Unlike `blogAtAddress`, returns undefined for unknown hosts and for previous domains. */
export function blogAtUrl(platen: Platen, url: URL): AddressInBlog | undefined {
  const place = blogAtAddress(platen, url.hostname, url.pathname);
  const isOurs = url.host === new URL(platen.config.url).host || url.hostname === place?.blog.domain;
  return isOurs ? place : undefined;
}

export function blogWithSlugEver(platen: Platen, slug: string): Blog | undefined {
  return blogWithSlug(platen, slug) ?? blogPreviouslyAt(platen, `@${slug}`);
}

/** Finds no previous blog at the base URL's host. */
export function blogAtHost(platen: Platen, host: string): Blog | undefined {
  const current = blogWithDomain(platen, host);
  return current || host === baseHost(platen) ? current : blogPreviouslyAt(platen, host);
}

function blogPreviouslyAt(platen: Platen, place: string): Blog | undefined {
  const blogId = getSetting(platen, previousPlaceSetting(place));
  return blogId === undefined ? undefined : blogById(platen, Number(blogId));
}

/** If a blog's domain is the host of the base URL, that blog replaces the home blog. */
export function blogInPlaceOfHome(platen: Platen): Blog | undefined {
  const found = blogWithDomain(platen, baseHost(platen));
  return found && found.id !== homeBlog(platen)?.id ? found : undefined;
}

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
  const isNewDomain = requested && (!domain || domain !== blog.domain);
  assertRules({
    slug: slug !== blog.slug && blogSlugError(platen, owner, slug, blog.id),
    domain: isNewDomain && blogDomainError(platen, owner, domain, blog.id),
  });
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
  assertRules({ domain: blogDomainError(platen, by, domain, blog.id) });
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
  updateRows(platen, settings, isOfBlog, { value: String(NO_BLOG_ID) });
  const blog = findRow(platen, blogs, { id: blogId });
  const places = blog ? [`@${blog.slug}`, blog.domain] : [];
  for (const place of places) if (place) rememberPlace(platen, { id: NO_BLOG_ID }, place);
}

/** Ids start at 1. */
const NO_BLOG_ID = 0;

/** `id` is 0 before the account is created. */
export type NameOwner = Pick<Account, "id" | "isAdmin">;

/**
 * Admins and commands need no verification. Authors cannot use names that blogs of other accounts or removed
 * blogs had, nor domains of private networks or of this server. A check or an admin must confirm their
 * domains.
 */
export function mayTakeAnyName(platen: Platen, account: NameOwner): boolean {
  return platen.isCommand === true || account.isAdmin;
}

export function blogSlugError(platen: Platen, account: NameOwner, slug: string, blogId?: number) {
  if (slug === "") return "must contain a letter or digit";
  if (slug === NO_BLOG) return "is an address of the admin";
  return takenError(platen, account, `@${slug}`, { slug }, blogId);
}

/** @param domain result of `domainOf` */
export function blogDomainError(platen: Platen, account: NameOwner, domain: string | null, blogId?: number) {
  if (!domain) return "must be a host name like blog.example.com";
  const takenDomain = takenError(platen, account, domain, { domain }, blogId);
  if (takenDomain) return takenDomain;
  const nameError = mayTakeAnyName(platen, account) ? undefined : publicNameError(platen, domain);
  const home = homeBlog(platen);
  const isOfHome = domain === baseHost(platen) && home && home.id !== blogId;
  return nameError ?? (isOfHome ? HOME_HOST : undefined);
}

/** @param place "@slug", or a domain */
function takenError(platen: Platen, account: NameOwner, place: string, name: Partial<Blog>, blogId?: number) {
  // Includes blogs that are being removed.
  const holder = findRow(platen, blogs, name);
  if (holder && holder.id !== blogId) return "is already used by another blog";
  const previousBlogId = getSetting(platen, previousPlaceSetting(place));
  if (previousBlogId === undefined || mayTakeAnyName(platen, account)) return undefined;
  const previousBlog = findRow(platen, blogs, { id: Number(previousBlogId) });
  if (previousBlog?.accountId === account.id) return undefined;
  // IndieAuth clients identify people by URL, so a new owner could sign in as the previous owner.
  return "was used by another blog before; only an admin can reassign it";
}

function publicNameError(platen: Platen, domain: string): string | undefined {
  const base = baseHost(platen);
  if (isIP(domain)) return "must be a host name, not an IP address";
  if (domain === base) return HOME_HOST;
  if (domain.endsWith(`.${base}`)) return `must not be a subdomain of ${base}, this server's own name`;
  if (PRIVATE_NAME.test(domain)) return "must be a public name, not below .localhost, .local or .internal";
}

/** Names for private networks and for the local machine (RFC 6761, RFC 6762; ICANN reserves .internal). */
const PRIVATE_NAME = /\.(?:localhost|local|internal)$/;

const HOME_HOST = "is the host of the base address (PLATEN_URL), which the home blog uses";

/**
 * The setting's value is the id of the last blog with this slug or domain; 0 if that blog was removed.
 * @param place "@slug", or a domain
 */
function previousPlaceSetting(place: string): string {
  return `blog once at ${place}`;
}

export function baseHost(platen: Platen): string {
  return plainHost(new URL(platen.config.url));
}

export function plainHost({ hostname }: URL): string {
  return hostname.replace(/\.$/, "");
}

/** "Blog.Example.com" → "blog.example.com"; null without a host name with a dot. Drops a user name, query or port 80. */
export function domainOf(text: string): string | null {
  const url = URL.parse(`http://${text}/`);
  return url && url.host === url.hostname && url.pathname === "/" && isHostName(plainHost(url))
    ? plainHost(url)
    : null;
}

/** Checks the DNS labels (RFC 1035 2.3.4). URL parsers accept "*" and empty labels. */
function isHostName(name: string): boolean {
  const labels = name.split(".");
  return name.length <= 253 && labels.length > 1 && labels.every((label) => LABEL.test(label));
}

const LABEL = /^[a-z\d_-]{1,63}$/;
