import type { Caller } from "../accounts/api-keys";
import { findSavedResponse, type SavedResponse, saveResponse } from "../accounts/idempotent-responses";
import { invalid, malformedField } from "../errors";
import type { Call } from "../http/requests/call";
import { readHeader } from "../http/requests/headers";
import { jsonSha256 } from "../http/responses/response";
import type { Platen } from "../platen";

const MAX_KEY_LENGTH = 255;

interface RepeatableWrite {
  platen: Platen;
  caller: Caller;
  key: string;
  fingerprint: string;
}

/**
 * @param body the parsed body, or values that identify it
 * @returns null without an Idempotency-Key
 * @throws Refusal: malformed, long header
 */
export function repeatableWrite({ platen, request, url }: Call, caller: Caller, body?: unknown) {
  const key = readHeader(request, "idempotency-key");
  if (key === null) return null;
  if (key.trim() === "" || key.length > MAX_KEY_LENGTH)
    throw malformedField("Idempotency-Key", `must be 1 to ${MAX_KEY_LENGTH} characters long`);
  const fingerprint = jsonSha256(body, `${request.method} ${url.pathname}${url.search}\n`);
  return { platen, caller, key, fingerprint };
}

type Response = SavedResponse["response"];

/** @throws Refusal (invalid) if the key was used for another request */
export function storedResponse(write: RepeatableWrite | null): Response | undefined {
  const saved = write && findSavedResponse(write.platen, write.caller, write.key);
  if (saved && saved.request !== write.fingerprint)
    throw invalid({ "Idempotency-Key": ["was used for another request; send a new one"] });
  return saved?.response;
}

/**
 * Runs the work once per Idempotency-Key. Errors are not stored, so a repeat may succeed. Call this function
 * in the transaction of the work.
 * @throws Refusal (invalid) if the key was used for another request
 */
export function once(write: RepeatableWrite | null, work: () => Response): Response {
  if (!write) return work();
  const stored = storedResponse(write);
  if (stored) return stored;
  const response = work();
  saveResponse(write.platen, write.caller, write.key, { request: write.fingerprint, response });
  return response;
}

const running = new WeakMap<Platen, Map<string, Promise<unknown>>>();

/** A repeat waits until the first request has finished. `work` must save its response with `once`. */
export async function onceAtATime<Result>(write: RepeatableWrite | null, work: () => Promise<Result>) {
  if (!write) return await work();
  const queues = running.getOrInsertComputed(write.platen, () => new Map<string, Promise<unknown>>());
  const queue = `${write.caller.key.id} ${write.key}`;
  const mine = (queues.get(queue) ?? Promise.resolve()).then(work, work);
  queues.set(queue, mine);
  try {
    return await mine;
  } finally {
    if (queues.get(queue) === mine) queues.delete(queue);
  }
}
