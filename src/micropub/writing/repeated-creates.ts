import { keepAnswer, keptAnswer } from "../../access/idempotent-answers";
import type { Caller } from "../../accounts/keys";
import { inTransaction } from "../../database/transactions";
import type { TextAnswer } from "../../http/answers/answer";
import type { Platen } from "../../platen";

/** Apps that heard no answer send the post again. In milliseconds (contract.md 6). */
const REPEATED_WITHIN = 60_000;

/**
 * Does the work once within a minute for the same key and wish, writing the answer in the work's own transaction.
 * @param wish all that makes two creates the same
 * @param holds is the kept answer still true?
 */
export function onceAMinute(
  platen: Platen,
  caller: Caller,
  wish: unknown,
  holds: (answer: TextAnswer) => boolean,
  work: () => TextAnswer,
): TextAnswer {
  return inTransaction(platen, () => {
    const first = answeredBefore(platen, caller, wish, holds);
    if (first) return first;
    const answer = work();
    const name = nameOf(wish);
    keepAnswer(platen, caller, name, { request: name, answer }, platen.now());
    return answer;
  });
}

/** The answer that this wish was given in the last minute. */
export function answeredBefore(
  platen: Platen,
  caller: Caller,
  wish: unknown,
  holds: (answer: TextAnswer) => boolean,
): TextAnswer | undefined {
  const oldest = new Date(platen.now().getTime() - REPEATED_WITHIN);
  const answer = keptAnswer(platen, caller, nameOf(wish), oldest)?.answer;
  return answer && holds(answer) ? answer : undefined;
}

function nameOf(wish: unknown): string {
  return `micropub ${new Bun.CryptoHasher("sha256").update(JSON.stringify(wish)).digest("hex")}`;
}
