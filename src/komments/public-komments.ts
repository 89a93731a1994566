import { and, asc, count, desc, eq, gte, lt, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { prepared } from "../database/prepared";
import { komments } from "../database/schema";
import type { Platen } from "../platen";
import type { Komment } from "./komment";

export const KOMMENTS_A_PAGE = 50;

/** Do not show `address`: it may be an e-mail address. `websiteIn` returns what readers may see. */
export type PublicKomment = Pick<
  Komment,
  | "id"
  | "name"
  | "address"
  | "html"
  | "createdAt"
  | "answerHtml"
  | "answeredAt"
  | "authorHandle"
  | "originUrl"
> & {
  /** null if there is no parent komment, or readers cannot see the parent. */
  parentId: number | null;
  parentName: string | null;
};

const isShown = and(eq(komments.postId, sql.placeholder("postId")), eq(komments.status, "shown"));

const parents = alias(komments, "parents");

/** The subquery skips earlier pages, and reads only the index. */
const onPage = prepared((db) =>
  db
    .select({
      id: komments.id,
      name: komments.name,
      address: komments.address,
      html: komments.html,
      createdAt: komments.createdAt,
      answerHtml: komments.answerHtml,
      answeredAt: komments.answeredAt,
      authorHandle: komments.authorHandle,
      originUrl: komments.originUrl,
      parentId: parents.id,
      parentName: parents.name,
    })
    .from(komments)
    .leftJoin(
      parents,
      and(
        eq(parents.id, komments.parentId),
        eq(parents.postId, komments.postId),
        eq(parents.status, "shown"),
      ),
    )
    .where(
      and(
        isShown,
        gte(
          komments.id,
          db
            .select({ id: komments.id })
            .from(komments)
            .where(isShown)
            .orderBy(asc(komments.id))
            .limit(1)
            .offset(sql.placeholder("passed")),
        ),
      ),
    )
    .orderBy(asc(komments.id))
    .limit(KOMMENTS_A_PAGE)
    .prepare(),
);

export function publicKomments(platen: Platen, postId: number, page: number): PublicKomment[] {
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

export function pageOfKomment({ db }: Platen, postId: number, id: number): number | null {
  const ofPost = and(eq(komments.postId, postId), eq(komments.status, "shown"));
  if (
    !db
      .select()
      .from(komments)
      .where(and(ofPost, eq(komments.id, id)))
      .get()
  )
    return null;
  const before = db
    .select({ n: count() })
    .from(komments)
    .where(and(ofPost, lt(komments.id, id)))
    .get();
  return Math.floor((before?.n ?? 0) / KOMMENTS_A_PAGE) + 1;
}

/** The link works on whichever page of the list the komment is. @param post URL or path of the post */
export function kommentAddress(post: string, id: number): string {
  return `${post}?komment=${id}#komment-${id}`;
}
