import { eq } from "drizzle-orm";
import type { Blog } from "../blogs/blogs";
import { komments } from "../database/schema";
import { inTransaction } from "../database/transactions";
import { notFound } from "../errors";
import type { Platen } from "../platen";
import { recordAnswerEvent } from "./answer-events";
import { isBlocked } from "./blocking";
import type { Komment, KommentStatus } from "./komment";

/** @param open status if the blog does not moderate komments */
export function initialStatus(
  blog: Pick<Blog, "blocked" | "kommentsModerated">,
  { name, address, source }: Pick<Komment, "name" | "address" | "source">,
  open: KommentStatus,
): KommentStatus {
  if (isBlocked(blog, { name, address, text: source })) return "refused";
  return blog.kommentsModerated ? "waiting" : open;
}

export function showKomment(platen: Platen, id: number): void {
  setStatus(platen, id, "shown");
}

/** Hides a komment. Its edit link tells the author. @throws Refusal (missing) */
export function refuseKomment(platen: Platen, id: number): void {
  setStatus(platen, id, "refused");
}

/** Makes a komment pending again. @throws Refusal (missing) */
export function holdKomment(platen: Platen, id: number): void {
  setStatus(platen, id, "waiting");
}

export function deleteKomment(platen: Platen, id: number): void {
  inTransaction(platen, () => {
    const [deleted] = platen.db.delete(komments).where(eq(komments.id, id)).returning().all();
    if (!deleted) throw notFound("komment");
    if (deleted.answer !== null) recordAnswerEvent(platen, deleted);
  });
}

function setStatus(platen: Platen, id: number, status: KommentStatus): void {
  inTransaction(platen, () => {
    const [changed] = platen.db.update(komments).set({ status }).where(eq(komments.id, id)).returning().all();
    if (!changed) throw notFound("komment");
    if (changed.answer !== null) recordAnswerEvent(platen, changed);
  });
}
