import { findSavedResponse, saveResponse } from "../../accounts/idempotent-responses";
import type { Caller } from "../../accounts/keys";
import { inTransaction } from "../../database/transactions";
import { jsonSha256 } from "../../http/responses/etags";
import type { TextResponse } from "../../http/responses/response";
import type { Platen } from "../../platen";

/** Apps that heard no answer send the post again. In milliseconds (contract.md 6). */
const REPEATED_WITHIN = 60_000;

/**
 * Does the work once within a minute for the same key and content, writing the answer in the work's own transaction.
 * @param name from `nameOfCreate`
 * @param isStillTrue whether the post that the kept answer tells of is still there
 */
export function oncePerMinute(
  platen: Platen,
  caller: Caller,
  name: string,
  isStillTrue: (answer: TextResponse) => boolean,
  work: () => TextResponse,
): TextResponse {
  return inTransaction(platen, () => {
    const first = answeredBefore(platen, caller, name, isStillTrue);
    if (first) return first;
    const answer = work();
    saveResponse(platen, caller, name, { request: name, answer });
    return answer;
  });
}

/** The answer that the same create was given in the last minute. */
export function answeredBefore(
  platen: Platen,
  caller: Caller,
  name: string,
  isStillTrue: (answer: TextResponse) => boolean,
): TextResponse | undefined {
  const answer = findSavedResponse(platen, caller, name, REPEATED_WITHIN)?.answer;
  return answer && isStillTrue(answer) ? answer : undefined;
}

/** @param content all that makes two creates the same */
export function nameOfCreate(content: unknown): string {
  return `micropub ${jsonSha256(content)}`;
}
