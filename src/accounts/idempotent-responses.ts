import { and, eq, gt } from "drizzle-orm";
import { DAY } from "../config/units";
import { idempotentAnswers } from "../database/schema";
import type { Platen } from "../platen";
import type { Caller } from "./keys";

/** How long the first answer to a write is kept for repeats, in milliseconds (contract.md 4). */
const KEPT_FOR = DAY;

/** The first answer to a write, kept for its repeats under a name of the caller's own. */
export interface SavedResponse {
  /** What was asked, hashed: a repeat must ask the same. */
  request: string;
  answer: {
    status: number;
    headers: Headers;
    body: string;
  };
}

/** What was kept under this name. @param within the last so many milliseconds; what is older than KEPT_FOR is gone */
export function findSavedResponse(
  platen: Platen,
  caller: Caller,
  name: string,
  within = KEPT_FOR,
): SavedResponse | undefined {
  const since = new Date(platen.now().getTime() - within);
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
export function saveResponse(
  platen: Platen,
  caller: Caller,
  name: string,
  { request, answer }: SavedResponse,
): void {
  const { status, headers, body } = answer;
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
      createdAt: platen.now(),
    })
    .run();
}

/** Deleted in one go: each may have some hundred kilobytes. */
const AT_ONCE = 20;

/** @returns whether there may be more */
export function deleteOldResponses({ db, now }: Platen): boolean {
  const until = now().getTime() - KEPT_FOR;
  const some = "SELECT rowid FROM idempotent_answers WHERE created_at <= ? ORDER BY created_at";
  const query = `DELETE FROM idempotent_answers WHERE rowid IN (${some} LIMIT ${AT_ONCE})`;
  return db.$client.query(query).run(until).changes === AT_ONCE;
}

const isOf = (caller: Caller, name: string) =>
  and(eq(idempotentAnswers.keyId, caller.key.id), eq(idempotentAnswers.idempotencyKey, name));
