import { findSavedResponse, type SavedResponse, saveResponse } from "../accounts/idempotent-responses";
import type { Caller } from "../accounts/keys";
import { inTransaction } from "../database/transactions";
import { invalid, malformedField } from "../errors";
import type { Call } from "../http/requests/call";
import { readHeader } from "../http/requests/headers";
import { jsonSha256 } from "../http/responses/etags";
import type { Platen } from "../platen";

const LONGEST_KEY = 255;

/** A write that may come with an Idempotency-Key. */
interface Write {
  call: Call;
  caller: Caller;
  /** What is asked, hashed: a repeat must ask the same. Null where no key came. */
  fingerprint: string | null;
}

/** @param body as parsed @throws Refusal (malformed) */
export function writeOf(call: Call, caller: Caller, body?: unknown): Write {
  const isRepeatable = idempotencyKeyOf({ call }) !== null;
  return { call, caller, fingerprint: isRepeatable ? fingerprintOf(call, body) : null };
}

/**
 * Does the work once per Idempotency-Key: a repeat within 24 hours gets the first answer and nothing else happens.
 * The answer is written in the work's own transaction, so neither is ever there without the other. Refusals are not
 * kept: they changed nothing, and a repeat may succeed.
 * @throws Refusal (invalid) where the key came with another request before
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

/** The kept answer to the same write. @throws Refusal: malformed, invalid (another write had this key) */
export function firstAnswer(write: Write): SavedResponse["answer"] | undefined {
  const key = idempotencyKeyOf(write);
  if (key === null) return undefined;
  const kept = findSavedResponse(write.call.platen, write.caller, key);
  if (kept && kept.request !== write.fingerprint)
    throw invalid({ "Idempotency-Key": ["was used for another request; send a new one"] });
  return kept?.answer;
}

/** Platen → account key and Idempotency-Key → the last work begun under them. */
const underWay = new WeakMap<Platen, Map<string, Promise<unknown>>>();

/** For work that takes its time and ends with `once`: while it is under way, a repeat waits instead of doing it too. */
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
  if (key !== null && (key.trim() === "" || key.length > LONGEST_KEY))
    throw malformedField("Idempotency-Key", `must be 1 to ${LONGEST_KEY} characters long`);
  return key;
}

function fingerprintOf({ request, url }: Call, body: unknown): string {
  return jsonSha256(body, `${request.method} ${url.pathname}${url.search}\n`);
}
