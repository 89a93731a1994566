import type { Caller } from "../accounts/keys";
import { inTransaction } from "../database/transactions";
import { invalid, malformed } from "../errors";
import type { TextAnswer } from "../http/answers/answer";
import type { Call } from "../http/requests/call";
import type { Platen } from "../platen";
import { ANSWERS_KEPT_FOR } from "../upkeep/retention";
import { keepAnswer, keptAnswer } from "./idempotent-answers";

const LONGEST_KEY = 255;

/** What is being asked, as far as a repeat must be the same. */
export interface Asked {
  call: Call;
  caller: Caller;
  /** The parsed body; a repeat with another one is a client's mistake. */
  body?: unknown;
}

/**
 * Does the work once per Idempotency-Key: a repeat within 24 hours gets the first answer and nothing else happens.
 * The answer is written in the work's own transaction, so neither is ever there without the other. Refusals are not
 * kept: they changed nothing, and a repeat may fare better.
 * @throws Refusal (invalid) where the key came with another request before
 */
export function once(asked: Asked, work: () => TextAnswer): TextAnswer {
  const { platen, request } = asked.call;
  if (!request.headers.has("idempotency-key")) return work();
  return inTransaction(platen, () => {
    const first = firstAnswer(asked);
    if (first) return first;
    const answer = work();
    const key = idempotencyKeyOf(request) as string;
    keepAnswer(platen, asked.caller, key, { request: fingerprintOf(asked), answer }, platen.now());
    return answer;
  });
}

/** For work that takes its time and ends with `once`: while it is under way, a repeat waits instead of doing it too. */
export async function onceAtATime<Result>(
  { call: { platen, request }, caller }: Pick<Asked, "call" | "caller">,
  work: () => Promise<Result>,
): Promise<Result> {
  const key = idempotencyKeyOf(request);
  if (key === null) return await work();
  const lanes = underWay.get(platen) ?? new Map<string, Promise<unknown>>();
  underWay.set(platen, lanes);
  const lane = `${caller.key.id} ${key}`;
  const mine = (lanes.get(lane) ?? Promise.resolve()).then(work, work);
  lanes.set(lane, mine);
  try {
    return await mine;
  } finally {
    if (lanes.get(lane) === mine) lanes.delete(lane);
  }
}

const underWay = new WeakMap<Platen, Map<string, Promise<unknown>>>();

/** The kept answer to this very request, if there is one. */
export function firstAnswer(asked: Asked): TextAnswer | undefined {
  const { platen, request } = asked.call;
  const key = idempotencyKeyOf(request);
  if (key === null) return undefined;
  const kept = keptAnswer(platen, asked.caller, key, oldestKept(platen));
  if (kept && kept.request !== fingerprintOf(asked))
    throw invalid({ "Idempotency-Key": ["was used for another request; send a new one"] });
  return kept?.answer;
}

function idempotencyKeyOf(request: Request): string | null {
  const key = request.headers.get("idempotency-key");
  if (key !== null && (key.trim() === "" || key.length > LONGEST_KEY))
    throw malformed(`Idempotency-Key must be 1 to ${LONGEST_KEY} characters long.`);
  return key;
}

function oldestKept(platen: Platen): Date {
  return new Date(platen.now().getTime() - ANSWERS_KEPT_FOR);
}

function fingerprintOf({ call: { request, url }, body }: Asked): string {
  const asked = `${request.method} ${url.pathname}${url.search}\n${JSON.stringify(body)}`;
  return new Bun.CryptoHasher("sha256").update(asked).digest("hex");
}
