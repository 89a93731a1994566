import { cleanText } from "../clean-text";
import { firstBytes } from "../outgoing/answer-body";
import type { Answer, Outgoing } from "../outgoing/request-and-answer";
import type { Platen } from "../platen";
import type { Claimed } from "./deliveries";
import { signatureOf } from "./signatures";

const SECOND = 1000;
/** How much of an answer is read and kept, in bytes. */
const ANSWER_KEPT = 1024;
/** The statuses whose `Retry-After` is heeded. */
const ASKING_FOR_PATIENCE = [429, 503];

/** What came of one attempt. */
export interface Outcome {
  at: Date;
  /** Milliseconds until the status, or until it was clear that none would come. */
  duration: number;
  /** HTTP status; null where none came. */
  status: number | null;
  /** What went wrong, for people, where the status does not say it. */
  failure: string | null;
  /** The beginning of the answer. */
  answer: string;
  /** How long the receiver asks to be left alone, in milliseconds. */
  retryAfter: number;
}

/** One attempt at a delivery: signed anew, under the id it always has. Null where it was stopped from outside. */
export async function attempt(
  platen: Platen,
  outgoing: Outgoing,
  claimed: Claimed,
  stop: AbortSignal,
): Promise<Outcome | null> {
  const at = platen.now();
  const began = performance.now();
  const sinceBegan = () => Math.round(performance.now() - began);
  const without = (failure: string) => ({
    at,
    duration: sinceBegan(),
    status: null,
    failure,
    answer: "",
    retryAfter: 0,
  });
  try {
    const answer = await outgoing.send({
      method: "POST",
      url: claimed.url,
      headers: headersOf(claimed, at),
      body: claimed.payload,
      within: platen.config.webhookTimeout,
      stop,
    });
    if ("failed" in answer) return answer.kind === "stopped" ? null : without(answer.failed);
    const duration = sinceBegan();
    return { at, duration, ...(await read(answer)), retryAfter: retryAfterOf(answer, at) };
  } catch (fault) {
    // A fault of our own with one address must not stall it for ever: it is told where its owner looks.
    return without((fault as Error).message);
  }
}

async function read(answer: Answer): Promise<Pick<Outcome, "status" | "failure" | "answer">> {
  const beginning = new TextDecoder().decode(await firstBytes(answer, ANSWER_KEPT));
  return { status: answer.answered, failure: redirectOf(answer), answer: cleanText(beginning) };
}

function headersOf({ messageId, event, secrets, payload }: Claimed, at: Date): Record<string, string> {
  const timestamp = Math.floor(at.getTime() / SECOND);
  return {
    "content-type": "application/json",
    "user-agent": "Platen-Webhooks/1.0",
    "webhook-id": messageId,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signatureOf(secrets, messageId, timestamp, payload),
    "x-platen-event": event,
  };
}

function redirectOf({ answered, headers }: Answer): string | null {
  if (answered < 300 || answered > 399 || !headers.location) return null;
  return cleanText(`it redirects to ${headers.location}, which is not followed`);
}

/** `Retry-After` is a number of seconds or a date (RFC 9110, 10.2.3). */
function retryAfterOf({ answered, headers }: Answer, at: Date): number {
  const asked = headers["retry-after"]?.trim();
  if (!asked || !ASKING_FOR_PATIENCE.includes(answered)) return 0;
  if (/^\d+$/.test(asked)) return Number(asked) * SECOND;
  const date = Date.parse(asked);
  return Number.isNaN(date) ? 0 : Math.max(0, date - at.getTime());
}
