import type { HttpClient, HttpResponse } from "../../outgoing/http-client";
import { firstBytes } from "../../outgoing/response-body";
import type { Platen } from "../../platen";
import { cleanText } from "../../text/clean-text";
import type { ClaimedDelivery } from "./delivery-claims";
import { retryAfterOf } from "./retry-after";
import { signatureAt, webhookHeaders } from "./webhook-headers";

/** How much of an answer is read and kept, in bytes. */
const ANSWER_KEPT = 1024;

/** What came of one attempt at a delivery. */
export interface Outcome {
  at: Date;
  /** Milliseconds until the status was there, or until the attempt had failed. */
  duration: number;
  /** HTTP status; null where no answer came. */
  status: number | null;
  /** What went wrong, a sentence for people; null where the status says it. */
  failure: string | null;
  /** The first ANSWER_KEPT bytes of the answer's body, as text. */
  answer: string;
  /** The wait that the receiver asks for by `Retry-After`, in milliseconds, as far as it is heeded; 0 where it asks for none. */
  retryAfter: number;
  /** `webhook-signature`, as it was sent. */
  signature: string;
}

/**
 * One attempt at a delivery: a POST signed anew, with the same `webhook-id` as every attempt before it. Never rejects.
 * @returns null where `stop` ended it
 */
export async function sendDelivery(
  platen: Platen,
  outgoing: HttpClient,
  claimed: ClaimedDelivery,
  stop: AbortSignal,
): Promise<Outcome | null> {
  const at = platen.now();
  const began = performance.now();
  const signature = signatureAt(claimed, at);
  const sinceBegan = () => Math.round(performance.now() - began);
  const failedWith = (failure: string) => ({
    at,
    duration: sinceBegan(),
    status: null,
    failure,
    answer: "",
    retryAfter: 0,
    signature,
  });
  try {
    const answer = await outgoing.send({
      method: "POST",
      url: claimed.url,
      headers: webhookHeaders(claimed, at, signature),
      body: claimed.payload,
      isForAdmin: claimed.isForAdmin,
      within: platen.config.webhookTimeout,
      stop,
    });
    if ("failed" in answer) return answer.kind === "stopped" ? null : failedWith(answer.failed);
    const duration = sinceBegan();
    return { at, duration, signature, ...(await read(answer)), retryAfter: retryAfterOf(answer, at) };
  } catch (fault) {
    // An exception of our own counts as a failed attempt, which the log shows: the queue goes on.
    return failedWith((fault as Error).message);
  }
}

async function read(answer: HttpResponse): Promise<Pick<Outcome, "status" | "failure" | "answer">> {
  const beginning = new TextDecoder().decode(await firstBytes(answer, ANSWER_KEPT));
  return { status: answer.answered, failure: redirectOf(answer), answer: cleanText(beginning) };
}

function redirectOf({ answered, headers }: HttpResponse): string | null {
  if (answered < 300 || answered > 399 || !headers.location) return null;
  return cleanText(`it redirects to ${headers.location}, which is not followed`);
}
