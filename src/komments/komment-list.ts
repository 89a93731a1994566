import { and, count, desc, eq, gte, inArray, lt, ne, sql } from "drizzle-orm";
import type { Blog } from "../blogs/blogs";
import { komments, posts } from "../database/schema";
import type { Platen } from "../platen";
import type { PostRow } from "../posts/post/post";
import { type Count, countByMonth } from "../posts/statistics/view-counts";
import type { Komment, KommentStatus } from "./komment";

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

export interface OwnedKomment {
  komment: Komment;
  post: PostRow;
}

interface KommentQuery {
  status?: KommentStatus;
  source?: KommentSource;
  page: number;
  limit: number;
}

export function blogKomments(
  { db }: Platen,
  { id }: Pick<Blog, "id">,
  { status, source, page, limit }: KommentQuery,
): OwnedKomment[] {
  const onPage = db
    .select({ id: komments.id })
    .from(komments)
    .where(and(eq(komments.blogId, id), status && eq(komments.status, status), isFrom(source)))
    .orderBy(desc(komments.id))
    .limit(limit)
    .offset((page - 1) * limit);
  return db
    .select({ komment: komments, post: posts })
    .from(komments)
    .innerJoin(posts, eq(posts.id, komments.postId))
    .where(inArray(komments.id, onPage))
    .orderBy(desc(komments.id))
    .all();
}

export function blogKomment({ db }: Platen, blog: Pick<Blog, "id">, id: number): OwnedKomment | undefined {
  return db
    .select({ komment: komments, post: posts })
    .from(komments)
    .innerJoin(posts, eq(posts.id, komments.postId))
    .where(and(eq(komments.id, id), eq(komments.blogId, blog.id)))
    .get();
}

export function countKomments(
  { db }: Platen,
  { id }: Pick<Blog, "id">,
  status: KommentStatus,
  source?: KommentSource,
): number {
  const isCounted = and(eq(komments.blogId, id), eq(komments.status, status), isFrom(source));
  return db.select({ komments: count() }).from(komments).where(isCounted).get()?.komments ?? 0;
}

export function hasRemoteKomments({ db }: Platen, { id }: Pick<Blog, "id">): boolean {
  const isRemote = and(eq(komments.blogId, id), ne(komments.origin, ""));
  return db.select({ id: komments.id }).from(komments).where(isRemote).limit(1).get() !== undefined;
}

export type ListedKomment = Omit<
  Komment,
  | "blogId"
  | "editHash"
  | "answerHtml"
  | "answeredAt"
  | "answerTo"
  | "answerToConfirmedAt"
  | "originUri"
  | "remoteActorId"
> & {
  post: { blogId: number; slug: string };
};

const { id, postId, status, name, address, source, html, createdAt, editedAt, answer } = komments;
const { origin, originUrl, authorHandle, parentId } = komments;
const ROW = {
  ...{ id, postId, status, name, address, source, html, createdAt, editedAt, answer },
  ...{ origin, originUrl, authorHandle, parentId },
};

/** Newest first. Without a blog, lists the komments of all blogs. */
export function listKomments(
  platen: Platen,
  { blog, status: statusFilter }: { blog?: Pick<Blog, "id">; status?: KommentStatus } = {},
): ListedKomment[] {
  return (
    platen.db
      .select({ ...ROW, post: { blogId: posts.blogId, slug: posts.slug } })
      .from(komments)
      .innerJoin(posts, eq(posts.id, komments.postId))
      // SQLite uses the partial index of pending komments only if the status is a literal.
      .where(
        and(
          blog && eq(komments.blogId, blog.id),
          statusFilter && sql`${komments.status} = ${sql.raw(`'${statusFilter}'`)}`,
        ),
      )
      .orderBy(desc(komments.id))
      .all()
  );
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
export function kommentsByMonth(
  platen: Platen,
  blog: Pick<Blog, "id" | "timeZone">,
  months: number,
): Count<string>[] {
  return countByMonth(platen, blog, months, (from, until) => {
    const isInMonth = and(gte(komments.createdAt, new Date(from)), lt(komments.createdAt, new Date(until)));
    const isCounted = and(eq(komments.blogId, blog.id), isInMonth, ne(komments.status, "refused"));
    return platen.db.select({ n: count() }).from(komments).where(isCounted).get()?.n ?? 0;
  });
}
