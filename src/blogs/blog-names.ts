import { isIP } from "node:net";
import { eq, type SQL } from "drizzle-orm";
import type { Account } from "../accounts/accounts";
import { getSetting } from "../database/instance-settings";
import { blogs } from "../database/schema";
import type { Platen } from "../platen";
import { homeBlog } from "./permalinks";
import { NO_BLOG } from "./slug";

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
  return takenError(platen, account, `@${slug}`, eq(blogs.slug, slug), blogId);
}

/** @param domain result of `domainOf` */
export function blogDomainError(platen: Platen, account: NameOwner, domain: string | null, blogId?: number) {
  if (!domain) return "must be a host name like blog.example.com";
  const takenDomain = takenError(platen, account, domain, eq(blogs.domain, domain), blogId);
  if (takenDomain) return takenDomain;
  const nameError = mayTakeAnyName(platen, account) ? undefined : publicNameError(platen, domain);
  const home = homeBlog(platen);
  const isOfHome = domain === baseHost(platen) && home && home.id !== blogId;
  return nameError ?? (isOfHome ? HOME_HOST : undefined);
}

/** @param place "@slug", or a domain */
function takenError(platen: Platen, account: NameOwner, place: string, isHolder: SQL, blogId?: number) {
  const { db } = platen;
  // Includes blogs that are being removed.
  const holder = db.select({ id: blogs.id }).from(blogs).where(isHolder).get();
  if (holder && holder.id !== blogId) return "is already used by another blog";
  const previousBlogId = getSetting(platen, previousPlaceSetting(place));
  if (previousBlogId === undefined || mayTakeAnyName(platen, account)) return undefined;
  const isPrevious = eq(blogs.id, Number(previousBlogId));
  const owner = db.select({ id: blogs.accountId }).from(blogs).where(isPrevious).get();
  if (owner?.id === account.id) return undefined;
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
export function previousPlaceSetting(place: string): string {
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
