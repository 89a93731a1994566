import { and, asc, eq, sql } from "drizzle-orm";
import { prepared } from "../database/prepared";
import { komments } from "../database/schema";
import type { Platen } from "../platen";
import type { Komment } from "./komment";

/** A komment as readers see it. The address is not for them, a website apart: see `websiteIn`. */
export type PublicKomment = Pick<
  Komment,
  "id" | "name" | "address" | "html" | "createdAt" | "answerHtml" | "answeredAt"
>;

const shown = prepared((db) =>
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
    .where(and(eq(komments.postId, sql.placeholder("postId")), eq(komments.status, "shown")))
    .orderBy(asc(komments.id))
    .prepare(),
);

/** Those the owner has let through, or that were never held back, oldest first. */
export function publicKomments(platen: Platen, postId: number): PublicKomment[] {
  return shown(platen).all({ postId });
}
