import { DAY, SECOND } from "../../config/units";
import type { HttpClient, HttpResponse } from "../../outgoing/http-client";
import { firstBytes } from "../../outgoing/response-body";
import type { Platen } from "../../platen";
import { cleanText } from "../../text/clean-text";
import type { ClaimedDelivery } from "./delivery-claims";
import { signatureAt, webhookHeaders } from "./webhook-headers";

const MAX_ANSWER_BYTES = 1024;

/** The result of one attempt. */
export interface Outcome {
  at: Date;
  /** Milliseconds until the response status arrived or the attempt failed. */
  duration: number;
  /** HTTP status; null if there was no response. */
  status: number | null;
  /** Error message; null if the status is enough. */
  failure: string | null;
  /** The beginning of the response body. */
  answer: string;
  /** Delay from the Retry-After header in milliseconds; 0 if there is none. */
  retryAfter: number;
  signature: string;
}

/**
 * Makes one attempt with a fresh signature and the same `webhook-id`. The promise never rejects.
 * @returns null if `stop` aborted the attempt
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
    return {
      at,
      duration,
      signature,
      ...(await readAnswer(answer)),
      retryAfter: parseRetryAfter(answer, at),
    };
  } catch (error) {
    // An internal exception counts as a failed attempt, so that the queue continues.
    return failedWith((error as Error).message);
  }
}

async function readAnswer(answer: HttpResponse): Promise<Pick<Outcome, "status" | "failure" | "answer">> {
  const beginning = new TextDecoder().decode(await firstBytes(answer, MAX_ANSWER_BYTES));
  return { status: answer.answered, failure: redirectOf(answer), answer: cleanText(beginning) };
}

function redirectOf({ answered, headers }: HttpResponse): string | null {
  if (answered < 300 || answered > 399 || !headers.location) return null;
  return cleanText(`it redirects to ${headers.location}, which is not followed`);
}

/** Response statuses for which Retry-After is used. */
const RETRY_AFTER_STATUSES = [429, 503];
const MAX_RETRY_AFTER_MS = DAY;

/** Parses Retry-After, which is in seconds or a date (RFC 9110 10.2.3). @returns delay in milliseconds */
function parseRetryAfter({ answered, headers }: HttpResponse, at: Date): number {
  const text = headers["retry-after"]?.trim();
  if (!text || !RETRY_AFTER_STATUSES.includes(answered)) return 0;
  const wait = /^\d+$/.test(text) ? Number(text) * SECOND : Date.parse(text) - at.getTime();
  return Number.isNaN(wait) ? 0 : Math.min(Math.max(0, wait), MAX_RETRY_AFTER_MS);
}
