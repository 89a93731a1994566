import { accountById } from "../accounts/accounts";
import { blogById } from "../blogs/blogs";
import {
  type Failure,
  firstBytes,
  type HttpClient,
  type HttpRequest,
  type HttpResponse,
} from "../outgoing/http-client";
import type { Platen } from "../platen";
import { cleanText } from "../text/clean-text";
import type { Outcome } from "./channel";
import { retryAfterOf } from "./retries-and-disabling";

const MAX_ANSWER_BYTES = 1024;
const RETRY_AFTER_STATUSES = [429, 503];

export function sendForBlog(
  platen: Platen,
  outgoing: HttpClient,
  blogId: number | null,
  request: Omit<HttpRequest, "isForAdmin">,
): Promise<HttpResponse | Failure> {
  const blog = blogById(platen, blogId);
  const isForAdmin = (blog && accountById(platen, blog.accountId)?.isAdmin) ?? false;
  return outgoing.send({ ...request, isForAdmin });
}

export function outcomeOf(platen: Platen, began: Date, known: Partial<Outcome>): Outcome {
  const duration = platen.now().getTime() - began.getTime();
  return { at: began, duration, status: null, failure: null, answer: "", retryAfter: 0, ...known };
}

/** @returns null if shutdown stopped the request */
export async function outcomeOfRequest(platen: Platen, send: () => Promise<HttpResponse | Failure>) {
  const at = platen.now();
  const began = performance.now();
  const response = await send();
  if ("failed" in response && response.kind === "stopped") return null;
  const timed = outcomeOf(platen, at, { duration: Math.round(performance.now() - began) });
  if ("failed" in response) return { ...timed, failure: response.failed };
  try {
    const answer = cleanText(new TextDecoder().decode(await firstBytes(response, MAX_ANSWER_BYTES)));
    const status = response.statusCode;
    const mayWait = RETRY_AFTER_STATUSES.includes(status);
    const retryAfter = mayWait ? retryAfterOf(response.headers["retry-after"], at) : 0;
    return { ...timed, status, failure: redirectOf(response), answer, retryAfter };
  } catch (error) {
    return { ...timed, failure: (error as Error).message };
  }
}

function redirectOf({ statusCode, headers }: HttpResponse): string | null {
  if (statusCode < 300 || statusCode > 399 || !headers.location) return null;
  return cleanText(`it redirects to ${headers.location}, which is not followed`);
}
