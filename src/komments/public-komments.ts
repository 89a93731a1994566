import { and, asc, count, desc, eq, gte, lt, sql } from "drizzle-orm";
import { prepared } from "../database/prepared";
import { komments } from "../database/schema";
import type { Platen } from "../platen";
import type { Komment } from "./komment";

/** As many as are read in one sitting, and made into a page in a few milliseconds. */
export const KOMMENTS_A_PAGE = 50;

/** A komment as readers see it. The address is not for them, a website apart: see `websiteIn`. */
export type PublicKomment = Pick<
  Komment,
  "id" | "name" | "address" | "html" | "createdAt" | "answerHtml" | "answeredAt"
>;

const isShown = and(eq(komments.postId, sql.placeholder("postId")), eq(komments.status, "shown"));

/** What is passed over is counted in the index. */
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
    })
    .from(komments)
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

/** One page of those the owner has let through, or that were never held back, oldest first. @param page from 1 */
export function publicKomments(platen: Platen, postId: number, page: number): PublicKomment[] {
  return onPage(platen).all({ postId, passed: (page - 1) * KOMMENTS_A_PAGE });
}

const total = prepared((db) => db.select({ komments: count() }).from(komments).where(isShown).prepare());

/** How many readers see. */
export function countPublicKomments(platen: Platen, postId: number): number {
  return total(platen).get({ postId })?.komments ?? 0;
}

const newest = prepared((db) =>
  db.select({ id: komments.id }).from(komments).where(isShown).orderBy(desc(komments.id)).limit(1).prepare(),
);

/** The last of the last page. */
export function newestPublicKomment(platen: Platen, postId: number): number | undefined {
  return newest(platen).get({ postId })?.id;
}

const one = prepared((db) =>
  db
    .select({ id: komments.id })
    .from(komments)
    .where(and(isShown, eq(komments.id, sql.placeholder("id"))))
    .prepare(),
);
const before = prepared((db) =>
  db
    .select({ komments: count() })
    .from(komments)
    .where(and(isShown, lt(komments.id, sql.placeholder("id"))))
    .prepare(),
);

/** The page that it is on as things are now, from 1; null where readers do not see it under this post. */
export function pageOfKomment(platen: Platen, postId: number, id: number): number | null {
  if (!one(platen).get({ postId, id })) return null;
  return Math.floor((before(platen).get({ postId, id })?.komments ?? 0) / KOMMENTS_A_PAGE) + 1;
}

/** What leads to it, on whatever page it is by then. @param post the address or path of its post */
export function kommentAddress(post: string, id: number): string {
  return `${post}?komment=${id}#komment-${id}`;
}
