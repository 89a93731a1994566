import { findSavedResponse, type SavedResponse, saveResponse } from "../accounts/idempotent-responses";
import type { Caller } from "../accounts/keys";
import { inTransaction } from "../database/transactions";
import { invalid, malformedField } from "../errors";
import type { Call } from "../http/requests/call";
import { readHeader } from "../http/requests/headers";
import { jsonSha256 } from "../http/responses/response";
import type { Platen } from "../platen";

const MAX_KEY_LENGTH = 255;

/** A write request that may have an Idempotency-Key. */
interface Write {
  call: Call;
  caller: Caller;
  /** Hash of the request, which a repeat must match. null without an Idempotency-Key. */
  fingerprint: string | null;
}

/** @param body the parsed body @throws Refusal (malformed) */
export function writeOf(call: Call, caller: Caller, body?: unknown): Write {
  const isRepeatable = idempotencyKeyOf({ call }) !== null;
  return { call, caller, fingerprint: isRepeatable ? fingerprintOf(call, body) : null };
}

/**
 * Runs the work once per Idempotency-Key. A repeat within 24 hours gets the stored response.
 * The response is stored in the work's transaction. Errors are not stored, so a repeat may succeed.
 * @throws Refusal (invalid) if the key was used for another request
 */
export function once<Given extends SavedResponse["answer"]>(
  write: Write,
  work: () => Given,
): Given | SavedResponse["answer"] {
  const { platen } = write.call;
  const { fingerprint } = write;
  const key = idempotencyKeyOf(write);
  if (key === null || fingerprint === null) return work();
  return inTransaction(platen, () => {
    const first = firstAnswer(write);
    if (first) return first;
    const answer = work();
    saveResponse(platen, write.caller, key, { request: fingerprint, answer });
    return answer;
  });
}

/**
 * The stored response to the same request.
 * @throws Refusal: malformed; invalid if the key was used for another request
 */
export function firstAnswer(write: Write): SavedResponse["answer"] | undefined {
  const key = idempotencyKeyOf(write);
  if (key === null) return undefined;
  const kept = findSavedResponse(write.call.platen, write.caller, key);
  if (kept && kept.request !== write.fingerprint)
    throw invalid({ "Idempotency-Key": ["was used for another request; send a new one"] });
  return kept?.answer;
}

/** Platen → account key and Idempotency-Key → the last work started with them. */
const underWay = new WeakMap<Platen, Map<string, Promise<unknown>>>();

/** Runs slow work that ends with `once`. A repeat waits until the first request has finished. */
export async function onceAtATime<Result>(
  write: Pick<Write, "call" | "caller">,
  work: () => Promise<Result>,
): Promise<Result> {
  const key = idempotencyKeyOf(write);
  if (key === null) return await work();
  const { platen } = write.call;
  const queues = underWay.getOrInsertComputed(platen, () => new Map<string, Promise<unknown>>());
  const queue = `${write.caller.key.id} ${key}`;
  const mine = (queues.get(queue) ?? Promise.resolve()).then(work, work);
  queues.set(queue, mine);
  try {
    return await mine;
  } finally {
    if (queues.get(queue) === mine) queues.delete(queue);
  }
}

/** @throws Refusal (malformed) */
function idempotencyKeyOf({ call: { request } }: Pick<Write, "call">): string | null {
  const key = readHeader(request, "idempotency-key");
  if (key !== null && (key.trim() === "" || key.length > MAX_KEY_LENGTH))
    throw malformedField("Idempotency-Key", `must be 1 to ${MAX_KEY_LENGTH} characters long`);
  return key;
}

function fingerprintOf({ request, url }: Call, body: unknown): string {
  return jsonSha256(body, `${request.method} ${url.pathname}${url.search}\n`);
}
