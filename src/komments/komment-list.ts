import { and, asc, count, desc, eq, gte, inArray, lt, ne, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import type { Blog } from "../blogs/blogs";
import { countRows, findValues, hasRow, hasValues, prepared } from "../database/rows";
import { komments, posts } from "../database/schema";
import type { Platen } from "../platen";
import { countByMonth } from "../posts/view-counts";
import type { Komment, KommentStatus } from "./komment-rules-and-events";

export const KOMMENT_STATUSES = komments.status.enumValues;
export const KOMMENT_ORIGINS = komments.origin.enumValues;

/** "copies" means replies to copies of a post on Bluesky and Mastodon. */
export const KOMMENT_SOURCES = ["site", "fediverse", "webmention", "copies"] as const;
export type KommentSource = (typeof KOMMENT_SOURCES)[number];
const ORIGINS: Record<KommentSource, Komment["origin"][]> = {
  site: [""],
  fediverse: ["fediverse"],
  webmention: ["webmention"],
  copies: ["bluesky", "mastodon"],
};
const isFrom = (source?: KommentSource) => source && inArray(komments.origin, ORIGINS[source]);

export type OwnedKomment = NonNullable<ReturnType<typeof findKomment>>;

/** Newest first. */
export function blogKomments(
  platen: Platen,
  { id }: Pick<Blog, "id">,
  query: { status?: KommentStatus; source?: KommentSource; page: number; limit: number },
): OwnedKomment[] {
  const { status, source, page, limit } = query;
  const isListed = and(eq(komments.blogId, id), status && eq(komments.status, status), isFrom(source));
  const ids = findValues(platen, komments, "id", isListed, { orderBy: desc(komments.id), page, limit });
  return withPosts(platen).where(inArray(komments.id, ids)).orderBy(desc(komments.id)).all();
}

export function findKomment(platen: Platen, values: Partial<Komment>) {
  return withPosts(platen).where(hasValues(komments, values)).get();
}

const withPosts = ({ db }: Platen) =>
  db
    .select({ komment: komments, post: posts })
    .from(komments)
    .innerJoin(posts, eq(posts.id, komments.postId));

export function countKomments(
  platen: Platen,
  { id: blogId }: Pick<Blog, "id">,
  status: KommentStatus,
  source?: KommentSource,
): number {
  return countRows(platen, komments, and(hasValues(komments, { blogId, status }), isFrom(source)));
}

export function hasRemoteKomments(platen: Platen, { id }: Pick<Blog, "id">): boolean {
  return hasRow(platen, komments, and(eq(komments.blogId, id), ne(komments.origin, "")));
}

export type ListedKomment = Pick<Komment, keyof typeof ROW> & { post: { blogId: number; slug: string } };

const { id, postId, status, name, address, source, html, createdAt, editedAt, answer } = komments;
const { answerHtml, answeredAt, origin, originUrl, authorHandle, parentId } = komments;
const ROW = {
  ...{ id, postId, status, name, address, source, html, createdAt, editedAt, answer },
  ...{ origin, originUrl, authorHandle, parentId },
};

/** Newest first. Without a blog, lists the komments of all blogs. */
export function listKomments(
  platen: Platen,
  { blog, status: statusFilter }: { blog?: Pick<Blog, "id">; status?: KommentStatus } = {},
): ListedKomment[] {
  // SQLite uses the partial index of pending komments only if the status is a literal.
  const hasStatus = statusFilter && sql`${komments.status} = ${sql.raw(`'${statusFilter}'`)}`;
  return platen.db
    .select({ ...ROW, post: { blogId: posts.blogId, slug: posts.slug } })
    .from(komments)
    .innerJoin(posts, eq(posts.id, komments.postId))
    .where(and(blog && eq(komments.blogId, blog.id), hasStatus))
    .orderBy(desc(komments.id))
    .all();
}

export function pendingKomments({ db }: Platen, postIds: number[]): Map<number, number> {
  const rows = db
    .select({ postId: komments.postId, waiting: count() })
    .from(komments)
    .where(and(inArray(komments.postId, postIds), eq(komments.status, "waiting")))
    .groupBy(komments.postId)
    .all();
  return new Map(rows.map(({ postId, waiting }) => [postId, waiting]));
}

/** Oldest month first. Leaves out rejected komments. */
export function kommentsByMonth(platen: Platen, blog: Pick<Blog, "id" | "timeZone">, months: number) {
  return countByMonth(platen, blog, months, (from, until) => {
    const isInMonth = and(gte(komments.createdAt, new Date(from)), lt(komments.createdAt, new Date(until)));
    const isCounted = and(eq(komments.blogId, blog.id), isInMonth, ne(komments.status, "refused"));
    return countRows(platen, komments, isCounted);
  });
}

export const KOMMENTS_A_PAGE = 50;

/**
 * Do not show `address`: it may be an e-mail address. `websiteIn` returns what readers may see. `parentId` is
 * null if there is no parent komment, or readers cannot see the parent.
 */
export type PublicKomment = ReturnType<typeof publicKomments>[number];

const isShown = and(eq(komments.postId, sql.placeholder("postId")), eq(komments.status, "shown"));

const parents = alias(komments, "parents");

const isShownParent = and(
  eq(parents.id, komments.parentId),
  eq(parents.postId, komments.postId),
  eq(parents.status, "shown"),
);

const PUBLIC_ROW = { id, name, address, html, createdAt, answerHtml, answeredAt, authorHandle, originUrl };

/** The subquery skips earlier pages, and reads only the index. */
const onPage = prepared((db) => {
  const shownIds = db.select({ id }).from(komments).where(isShown).orderBy(asc(id));
  const first = shownIds.limit(1).offset(sql.placeholder("passed"));
  return db
    .select({ ...PUBLIC_ROW, parentId: parents.id, parentName: parents.name })
    .from(komments)
    .leftJoin(parents, isShownParent)
    .where(and(isShown, gte(id, first)))
    .orderBy(asc(id))
    .limit(KOMMENTS_A_PAGE)
    .prepare();
});

export function publicKomments(platen: Platen, postId: number, page: number) {
  return onPage(platen).all({ postId, passed: (page - 1) * KOMMENTS_A_PAGE });
}

const total = prepared((db) => db.select({ komments: count() }).from(komments).where(isShown).prepare());

export function countPublicKomments(platen: Platen, postId: number): number {
  return total(platen).get({ postId })?.komments ?? 0;
}

const newest = prepared((db) =>
  db.select({ id: komments.id }).from(komments).where(isShown).orderBy(desc(komments.id)).limit(1).prepare(),
);

export function newestPublicKomment(platen: Platen, postId: number): number | undefined {
  return newest(platen).get({ postId })?.id;
}

export function pageOfKomment(platen: Platen, postId: number, id: number): number | null {
  const shown = { postId, status: "shown" } as const;
  if (!hasRow(platen, komments, { ...shown, id })) return null;
  const before = countRows(platen, komments, and(hasValues(komments, shown), lt(komments.id, id)));
  return Math.floor(before / KOMMENTS_A_PAGE) + 1;
}

/** The link works on whichever page of the list the komment is. @param post URL or path of the post */
export function kommentAddress(post: string, id: number): string {
  return `${post}?komment=${id}#komment-${id}`;
}
