import { and, eq, gt } from "drizzle-orm";
import type { Caller } from "../accounts/keys";
import { idempotentAnswers } from "../database/schema";
import type { TextAnswer } from "../http/answers/answer";
import type { Platen } from "../platen";

/** The first answer to a write, kept for its repeats under a name of the caller's own. */
export interface KeptAnswer {
  /** What was asked, hashed: a repeat must ask the same. */
  request: string;
  answer: TextAnswer;
}

/** What was kept under this name after `since`. */
export function keptAnswer(
  platen: Platen,
  caller: Caller,
  name: string,
  since: Date,
): KeptAnswer | undefined {
  const kept = platen.db
    .select()
    .from(idempotentAnswers)
    .where(and(isOf(caller, name), gt(idempotentAnswers.createdAt, since)))
    .get();
  if (!kept) return undefined;
  const { request, status, headers, body } = kept;
  return { request, answer: { status, headers: new Headers(headers), body } };
}

/** In place of what was kept under this name before. To be called in the transaction of the write itself. */
export function keepAnswer(
  platen: Platen,
  caller: Caller,
  name: string,
  { request, answer: { status, headers, body } }: KeptAnswer,
  at: Date,
): void {
  platen.db.delete(idempotentAnswers).where(isOf(caller, name)).run();
  platen.db
    .insert(idempotentAnswers)
    .values({
      keyId: caller.key.id,
      idempotencyKey: name,
      request,
      status,
      headers: Object.fromEntries(headers),
      body,
      createdAt: at,
    })
    .run();
}

const isOf = (caller: Caller, name: string) =>
  and(eq(idempotentAnswers.keyId, caller.key.id), eq(idempotentAnswers.idempotencyKey, name));
