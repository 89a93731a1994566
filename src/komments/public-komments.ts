import { and, asc, count, desc, eq, gte, lt, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { prepared } from "../database/prepared";
import { countRows, hasRow, hasValues } from "../database/rows";
import { komments } from "../database/schema";
import type { Platen } from "../platen";

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

const { id, name, address, html, createdAt, answerHtml, answeredAt, authorHandle, originUrl } = komments;
const ROW = { id, name, address, html, createdAt, answerHtml, answeredAt, authorHandle, originUrl };

/** The subquery skips earlier pages, and reads only the index. */
const onPage = prepared((db) => {
  const shownIds = db.select({ id }).from(komments).where(isShown).orderBy(asc(id));
  const first = shownIds.limit(1).offset(sql.placeholder("passed"));
  return db
    .select({ ...ROW, parentId: parents.id, parentName: parents.name })
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
