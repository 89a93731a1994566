import { DAY } from "../config/units";
import { findRowBy, upsertRow } from "../database/rows";
import { idempotentAnswers } from "../database/schema";
import type { Platen } from "../platen";
import type { Caller } from "./api-keys";

const RETENTION_MS = DAY;

export interface SavedResponse {
  request: string;
  response: {
    status: number;
    headers: Headers;
    body: string;
  };
}

const answerOf = findRowBy(idempotentAnswers, ["keyId", "idempotencyKey"]);

export function findSavedResponse(platen: Platen, caller: Caller, name: string, within = RETENTION_MS) {
  const saved = answerOf(platen, { keyId: caller.key.id, idempotencyKey: name });
  if (!saved || saved.createdAt.getTime() <= platen.now().getTime() - within) return undefined;
  const { request, status, headers, body } = saved;
  return { request, response: { status, headers: new Headers(headers), body } };
}

/** Call this function in the transaction of the write. */
export function saveResponse(platen: Platen, caller: Caller, name: string, saved: SavedResponse): void {
  const { status, headers, body } = saved.response;
  const response = { status, headers: Object.fromEntries(headers), body };
  const values = { request: saved.request, ...response, createdAt: platen.now() };
  const row = { keyId: caller.key.id, idempotencyKey: name, ...values };
  upsertRow(platen, idempotentAnswers, row, ["keyId", "idempotencyKey"]);
}

/** Small, because a response may be hundreds of kilobytes long. */
const MAX_DELETED_PER_CALL = 20;

export function deleteOldResponses({ db, now }: Platen): boolean {
  const until = now().getTime() - RETENTION_MS;
  const some = "SELECT rowid FROM idempotent_answers WHERE created_at <= ? ORDER BY created_at";
  const query = `DELETE FROM idempotent_answers WHERE rowid IN (${some} LIMIT ${MAX_DELETED_PER_CALL})`;
  return db.$client.query(query).run(until).changes === MAX_DELETED_PER_CALL;
}
