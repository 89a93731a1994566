import { eq } from "drizzle-orm";
import { messages } from "../database/schema";
import { notFound } from "../errors";
import type { Platen } from "../platen";

/** The owner has read it, and has nothing more to do with it. */
export function markMessageRead({ db }: Platen, id: number): void {
  db.update(messages).set({ status: "read" }).where(eq(messages.id, id)).run();
}

export function refuseMessage({ db }: Platen, id: number): void {
  db.update(messages).set({ status: "refused" }).where(eq(messages.id, id)).run();
}

/** @throws Refusal (missing) */
export function deleteMessage(platen: Platen, id: number): void {
  const deleted = platen.db.delete(messages).where(eq(messages.id, id)).returning({ id: messages.id }).all();
  if (deleted.length === 0) throw notFound("message");
}
