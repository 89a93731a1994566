import { eq, type SQL } from "drizzle-orm";
import type { Blog } from "../blogs/blogs";
import { updateRow } from "../database/rows";
import { komments } from "../database/schema";
import { inTransaction } from "../database/transactions";
import { notFound, requireFound } from "../errors";
import type { Platen } from "../platen";
import { isBlocked } from "./blocked-words-and-hosts";
import { type Komment, type KommentStatus, recordAnswerEvent } from "./komment-rules-and-events";

export function initialStatus(
  blog: Pick<Blog, "blocked" | "kommentsModerated">,
  { name, address, source }: Pick<Komment, "name" | "address" | "source">,
  unmoderatedStatus: KommentStatus,
): KommentStatus {
  if (isBlocked(blog, { name, address, text: source })) return "refused";
  return blog.kommentsModerated ? "waiting" : unmoderatedStatus;
}

export const showKomment = (platen: Platen, id: number): void => setStatus(platen, id, "shown");
export const refuseKomment = (platen: Platen, id: number): void => setStatus(platen, id, "refused");
export const holdKomment = (platen: Platen, id: number): void => setStatus(platen, id, "waiting");

function setStatus(platen: Platen, id: number, status: KommentStatus): void {
  inTransaction(platen, () => {
    const changed = requireFound(updateRow(platen, komments, { id }, { status }), "komment");
    if (changed.answer !== null) recordAnswerEvent(platen, changed);
  });
}

export function deleteKomment(platen: Platen, id: number): void {
  if (deleteKomments(platen, eq(komments.id, id)) === 0) throw notFound("komment");
}

/** Other servers then delete the replies of the owner. @returns number of deleted komments */
export function deleteKomments(platen: Platen, condition: SQL | undefined): number {
  // Without the texts, because somebody may have sent hundreds of megabytes.
  const { id, blogId, postId, origin, remoteActorId, answer } = komments;
  const columns = { id, blogId, postId, origin, remoteActorId, answer };
  return inTransaction(platen, () => {
    const deleted = platen.db.delete(komments).where(condition).returning(columns).all();
    for (const komment of deleted) if (komment.answer !== null) recordAnswerEvent(platen, komment);
    return deleted.length;
  });
}
