import { and, count, desc, eq, inArray, sql } from "drizzle-orm";
import type { Blog } from "../blogs/blogs";
import { komments, posts } from "../database/schema";
import { notFound } from "../errors";
import type { Platen } from "../platen";
import { isBlocked } from "./blocking";
import type { Komment, KommentStatus } from "./komment";

/** A komment as the owner sees it. */
export type ListedKomment = Omit<Komment, "blogId" | "editHash" | "answerHtml" | "answeredAt"> & {
  post: { blogId: number; slug: string };
};

const { id, postId, status, name, address, source, html, createdAt, editedAt, answer } = komments;
const ROW = { id, postId, status, name, address, source, html, createdAt, editedAt, answer };

/** Newest first; without a choice those of all blogs, whatever became of them. */
export function listKomments(
  platen: Platen,
  { blog, status: wanted }: { blog?: Pick<Blog, "id">; status?: KommentStatus } = {},
): ListedKomment[] {
  return (
    platen.db
      .select({ ...ROW, post: { blogId: posts.blogId, slug: posts.slug } })
      .from(komments)
      .innerJoin(posts, eq(posts.id, komments.postId))
      // Spelled out, or the index of those that wait would not be used.
      .where(
        and(
          blog && eq(komments.blogId, blog.id),
          wanted && sql`${komments.status} = ${sql.raw(`'${wanted}'`)}`,
        ),
      )
      .orderBy(desc(komments.id))
      .all()
  );
}

/** post id → how many komments on it wait for the owner; without posts that have none. */
export function kommentsWaiting({ db }: Platen, postIds: number[]): Map<number, number> {
  const rows = db
    .select({ postId: komments.postId, waiting: count() })
    .from(komments)
    .where(and(inArray(komments.postId, postIds), eq(komments.status, "waiting")))
    .groupBy(komments.postId)
    .all();
  return new Map(rows.map(({ postId, waiting }) => [postId, waiting]));
}

/** What is blocked is refused, and else waits where komments are moderated. @param open where they are not */
export function statusOfWritten(
  blog: Pick<Blog, "blocked" | "kommentsModerated">,
  { name, address, source }: Pick<Komment, "name" | "address" | "source">,
  open: KommentStatus,
): KommentStatus {
  if (isBlocked(blog, { name, address, text: source })) return "refused";
  return blog.kommentsModerated ? "waiting" : open;
}

/** Lets readers see it. @throws Refusal (missing) */
export function showKomment(platen: Platen, id: number): void {
  setStatus(platen, id, "shown");
}

/** Keeps it from readers; its writer's link says so. @throws Refusal (missing) */
export function refuseKomment(platen: Platen, id: number): void {
  setStatus(platen, id, "refused");
}

/** Undecided again. @throws Refusal (missing) */
export function holdKomment(platen: Platen, id: number): void {
  setStatus(platen, id, "waiting");
}

/** @throws Refusal (missing) */
export function deleteKomment(platen: Platen, id: number): void {
  const deleted = platen.db.delete(komments).where(eq(komments.id, id)).returning({ id: komments.id }).all();
  if (deleted.length === 0) throw notFound("komment");
}

function setStatus(platen: Platen, id: number, status: KommentStatus): void {
  const changed = platen.db
    .update(komments)
    .set({ status })
    .where(eq(komments.id, id))
    .returning({ id: komments.id })
    .all();
  if (changed.length === 0) throw notFound("komment");
}
