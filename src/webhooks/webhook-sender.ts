import { accountById } from "../accounts/accounts";
import { type Blog, blogById } from "../blogs/blogs";
import { DAY, SECOND } from "../config/units";
import { type Channel, messageIdOf, type Outcome } from "../deliveries/channel";
import type { HttpResponse } from "../outgoing/http-client";
import { firstBytes } from "../outgoing/response-body";
import { cleanText } from "../text/clean-text";
import { validSecrets } from "./signing-secrets";
import { signatureAt, webhookHeaders } from "./webhook-headers";

const MAX_ANSWER_BYTES = 1024;

/** Makes one attempt with a fresh signature and the same `webhook-id`. */
export const sendWebhook: Channel["send"] = async (platen, { event, receiver }, { outgoing, stop }) => {
  const at = platen.now();
  const began = performance.now();
  const blog = blogById(platen, receiver.blogId as number) as Blog;
  const messageId = messageIdOf(event, receiver.id);
  const signature = signatureAt(messageId, validSecrets(blog, at), event.payload, at);
  const answer = await outgoing.send({
    method: "POST",
    url: receiver.url,
    headers: webhookHeaders({ event: event.name, messageId }, at, signature),
    body: event.payload,
    isForAdmin: accountById(platen, blog.accountId)?.isAdmin ?? false,
    within: platen.config.webhookTimeout,
    stop,
  });
  if ("failed" in answer && answer.kind === "stopped") return null;
  const outcome = { at, signature, duration: Math.round(performance.now() - began) };
  const failed = (failure: string) => ({ ...outcome, status: null, failure, answer: "", retryAfter: 0 });
  if ("failed" in answer) return failed(answer.failed);
  try {
    return { ...outcome, ...(await readAnswer(answer)), retryAfter: parseRetryAfter(answer, at) };
  } catch (error) {
    return failed((error as Error).message);
  }
};

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
