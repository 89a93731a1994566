import { and, eq, like } from "drizzle-orm";
import { accountById } from "../accounts/accounts";
import { recordAct } from "../accounts/acts";
import { blogs, settings } from "../database/schema";
import { keepSetting } from "../database/settings/kept-settings";
import { demandNone, type FieldFaults } from "../errors";
import type { Platen } from "../platen";
import {
  type Blog,
  baseHost,
  blogWithDomain,
  domainOf,
  formerPlaceSetting,
  HOME_HOST,
  holderOfDomain,
  holderOfSlug,
  TAKEN_BY_ADMIN,
} from "./blogs";
import { blogUrl, homeBlog } from "./permalinks";
import { NO_BLOG } from "./reserved-slugs";
import { LONGEST_SLUG, slugify } from "./slug";

/** What is not named stays as it is. */
export interface AddressChanges {
  slug?: string;
  /** Empty for none. */
  domain?: string;
}

/**
 * Gives a blog another slug or domain. Addresses with the former one lead on, until another blog takes it.
 * To be called inside a transaction, or two blogs may be given one slug.
 * @returns where the blog is now
 * @throws Refusal (invalid) naming `slug` or `domain`
 */
export function moveBlog(platen: Platen, blog: Blog, changes: AddressChanges): string {
  const slug = changes.slug === undefined ? blog.slug : slugify(changes.slug, LONGEST_SLUG);
  const domain = changes.domain === undefined ? blog.domain : domainOf(changes.domain.trim());
  const faults: FieldFaults = {};
  if (slug === "") faults.slug = ["must hold letters or digits"];
  else if (slug === NO_BLOG && slug !== blog.slug) faults.slug = [TAKEN_BY_ADMIN];
  else if ((holderOfSlug(platen, slug) ?? blog.id) !== blog.id) faults.slug = ["is another blog's already"];
  const domainFault = changes.domain?.trim() ? faultInDomain(platen, blog, domain) : undefined;
  if (domainFault) faults.domain = [domainFault];
  demandNone(faults);
  if (slug !== blog.slug) rememberPlace(platen, blog, `@${blog.slug}`);
  if (blog.domain && domain !== blog.domain) rememberPlace(platen, blog, blog.domain);
  const moved = { slug, domain };
  platen.db
    .update(blogs)
    .set({ ...moved, updatedAt: platen.now() })
    .where(eq(blogs.id, blog.id))
    .run();
  const url = blogUrl(platen, { ...blog, ...moved });
  if (slug !== blog.slug || domain !== blog.domain)
    recordAct(platen, "moved a blog", {
      account: accountById(platen, blog.accountId) ?? null,
      about: `${blog.title}: ${url}`,
    });
  return url;
}

function faultInDomain(platen: Platen, blog: Blog, domain: string | null): string | undefined {
  if (!domain) return "must be a host name like blog.example.com";
  if ((holderOfDomain(platen, domain) ?? blog.id) !== blog.id) return "is another blog's already";
  if (domain === baseHost(platen) && homeBlog(platen)?.id !== blog.id) return HOME_HOST;
}

/** The blog that hides the home blog: its domain is the base address's host. */
export function blogInPlaceOfHome(platen: Platen): Blog | undefined {
  const found = blogWithDomain(platen, baseHost(platen));
  return found && found.id !== homeBlog(platen)?.id ? found : undefined;
}

function rememberPlace(platen: Platen, { id }: Blog, place: string): void {
  keepSetting(platen, formerPlaceSetting(place), String(id));
}

/** Nobody had these slugs and domains, as far as addresses go: for a blog that is removed. */
export function forgetFormerPlaces(platen: Platen, blogId: number): void {
  platen.db
    .delete(settings)
    .where(and(like(settings.name, formerPlaceSetting("%")), eq(settings.value, String(blogId))))
    .run();
}
