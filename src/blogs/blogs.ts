import { and, asc, eq, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Account } from "../accounts/accounts";
import { recordAct } from "../accounts/acts";
import { untilChanged } from "../database/data-version";
import { prepared, rowWith } from "../database/prepared";
import { blogs, removals } from "../database/schema";
import { keptSetting } from "../database/settings/kept-settings";
import { demandNone, type FieldFaults, notFound } from "../errors";
import type { Platen } from "../platen";
import { LONGEST } from "../request-limits";
import { BLOG_DEFAULTS } from "./posts-a-page-and-defaults";
import { NO_BLOG } from "./reserved-slugs";
import { freeSlug, LONGEST_SLUG, slugify } from "./slug";

export type Blog = typeof blogs.$inferSelect;

/** In characters. */
export const LONGEST_TITLE = 200;

export interface NewBlog {
  title: string;
  slug?: string;
  domain?: string | null;
}

/** The blog with this id is not being removed (see upkeep/removal): for everybody else such a blog is gone. */
export const isThere = (blogId: SQLiteColumn) =>
  sql`not exists (select 1 from ${removals} where ${removals.blogId} = ${blogId})`;

/** Adds a blog. To be called inside a transaction, or two may be given one slug. @throws Refusal (invalid) naming `title`, `slug` or `domain` */
export function addBlog(platen: Platen, account: Account, wish: NewBlog): Blog {
  demandNone(faultsInNewBlog(platen, wish));
  const at = platen.now();
  const blog = platen.db
    .insert(blogs)
    .values({
      ...BLOG_DEFAULTS,
      accountId: account.id,
      ...tidied(platen, wish),
      createdAt: at,
      updatedAt: at,
    })
    .returning()
    .get();
  recordAct(platen, "added a blog", { account, about: blog.title });
  return blog;
}

/** What `addBlog` would refuse. */
export function faultsInNewBlog(platen: Platen, wish: NewBlog): FieldFaults {
  const { title, slug, domain } = tidied(platen, wish);
  const faults: FieldFaults = {};
  if (title === "") faults.title = ["must not be empty"];
  if (title.length > LONGEST_TITLE) faults.title = [`must be at most ${LONGEST_TITLE} characters`];
  if (slug === "") faults.slug = ["must hold letters or digits"];
  else if (slug === NO_BLOG) faults.slug = [TAKEN_BY_ADMIN];
  else if (holderOfSlug(platen, slug) !== undefined) faults.slug = ["is another blog's already"];
  if (wish.domain?.trim() && !domain) faults.domain = ["must be a host name like blog.example.com"];
  if (domain && holderOfDomain(platen, domain) !== undefined) faults.domain = ["is another blog's already"];
  else if (domain && domain === baseHost(platen) && listBlogs(platen).length > 0) faults.domain = [HOME_HOST];
  return faults;
}

/** An empty slug, and a domain that is null though one was asked for, are faults. */
function tidied(platen: Platen, wish: NewBlog): Pick<Blog, "title" | "slug" | "domain"> {
  const title = wish.title.trim();
  return {
    title,
    slug: wish.slug?.trim()
      ? slugify(wish.slug.slice(0, LONGEST.wishedSlug), LONGEST_SLUG)
      : freeBlogSlug(platen, title.slice(0, LONGEST_TITLE)),
    domain: wish.domain?.trim() ? domainOf(wish.domain.trim()) : null,
  };
}

function freeBlogSlug(platen: Platen, title: string): string {
  return freeSlug(
    slugify(title) || "blog",
    (slug) => slug === NO_BLOG || holderOfSlug(platen, slug) !== undefined,
  );
}

/** The id of the blog that has the slug, also of one that is being removed, which has it until the last of it is gone. */
export function holderOfSlug({ db }: Platen, slug: string): number | undefined {
  return db.select({ id: blogs.id }).from(blogs).where(eq(blogs.slug, slug)).get()?.id;
}

/** The same of a domain. */
export function holderOfDomain({ db }: Platen, domain: string): number | undefined {
  return db.select({ id: blogs.id }).from(blogs).where(eq(blogs.domain, domain)).get()?.id;
}

/** Of a slug. */
export const TAKEN_BY_ADMIN = "is an address of the admin";

/** Whoever has this domain would be shown in the home blog's place. */
export const HOME_HOST = "is the host of the base address (PLATEN_URL), where the home blog lives";

/** Where the home blog lives. */
export function baseHost(platen: Platen): string {
  return plainHost(new URL(platen.config.url));
}

/** The host's name without the dot that names may end with ("example.com."). */
export function plainHost({ hostname }: URL): string {
  return hostname.replace(/\.$/, "");
}

/** "Blog.Example.com" → "blog.example.com"; null where it is no host name. */
export function domainOf(text: string): string | null {
  const url = URL.parse(`http://${text}/`);
  return url && url.host === url.hostname && url.pathname === "/" && isHostName(plainHost(url))
    ? plainHost(url)
    : null;
}

/** Of labels as the DNS has them (RFC 1035 2.3.4); browsers' own reading lets "*" and empty ones pass. */
function isHostName(name: string): boolean {
  const labels = name.split(".");
  return name.length <= 253 && labels.length > 1 && labels.every((label) => LABEL.test(label));
}

const LABEL = /^[a-z\d_-]{1,63}$/;

const byId = rowWith(blogs, ["id"], isThere(blogs.id));

export const blogById = untilChanged((platen, id: number): Blog | undefined => byId(platen, { id }));

const ofAccount = prepared((db) =>
  db
    .select()
    .from(blogs)
    .where(and(eq(blogs.accountId, sql.placeholder("accountId")), isThere(blogs.id)))
    .orderBy(asc(blogs.id))
    .prepare(),
);

/** The blog of what is in one. @throws Refusal (missing) where it is being removed, or there is none */
export function blogHolding(platen: Platen, { blogId }: { blogId: number | null }): Blog {
  const blog = blogId === null ? undefined : blogById(platen, blogId);
  if (!blog) throw notFound("blog");
  return blog;
}

/** In the order they were made; the first is the one that calls without a `blog_id` mean. */
export function blogsOf(platen: Platen, account: Account): Blog[] {
  return blogsOfAccount(platen, account.id);
}

const blogsOfAccount = untilChanged((platen, accountId: number) => ofAccount(platen).all({ accountId }));

export function listBlogs(platen: Platen): Blog[] {
  return platen.db.select().from(blogs).where(isThere(blogs.id)).orderBy(asc(blogs.id)).all();
}

const bySlug = rowWith(blogs, ["slug"], isThere(blogs.id));

export const blogWithSlug = untilChanged((platen, slug: string): Blog | undefined =>
  bySlug(platen, { slug }),
);

/** The name of the row in `settings` whose value is the ID of the blog that once was there. @param place "@slug", or a domain */
export function formerPlaceSetting(place: string): string {
  return `blog once at ${place}`;
}

/** The blog with this slug, or else the one that had it last. */
export function blogWithSlugOnce(platen: Platen, slug: string): Blog | undefined {
  const present = blogWithSlug(platen, slug);
  if (present) return present;
  return blogOnceAt(platen, `@${slug}`);
}

/** The blog with this domain, or else the one that had it last; none at the base address, which is the home blog's. */
export function blogAtHost(platen: Platen, host: string): Blog | undefined {
  const present = blogWithDomain(platen, host);
  return present || host === baseHost(platen) ? present : blogOnceAt(platen, host);
}

function blogOnceAt(platen: Platen, place: string): Blog | undefined {
  const former = keptSetting(platen, formerPlaceSetting(place));
  return former === undefined ? undefined : blogById(platen, Number(former));
}

const byDomain = rowWith(blogs, ["domain"], isThere(blogs.id));

export const blogWithDomain = untilChanged((platen, domain: string): Blog | undefined =>
  byDomain(platen, { domain }),
);
