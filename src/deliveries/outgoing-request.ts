import { accountById } from "../accounts/accounts";
import { blogById } from "../blogs/blogs";
import { SECOND } from "../config/units";
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

const TIMEOUT_MS = 10 * SECOND;
const MAX_REDIRECTS = 5;
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

/** @returns the response, the outcome of a failed attempt, or null if `stop` aborted the attempt */
export async function fetchPage(
  platen: Platen,
  outgoing: HttpClient,
  blogId: number | null,
  { url, accept, stop }: { url: string; accept: string; stop: AbortSignal },
): Promise<HttpResponse | Outcome | null> {
  const began = platen.now();
  const limits = { redirects: MAX_REDIRECTS, within: TIMEOUT_MS, stop };
  const page = await sendForBlog(platen, outgoing, blogId, { url, headers: { accept }, ...limits });
  if (!("failed" in page)) return page;
  if (page.kind === "stopped") return null;
  const end = page.kind === "refused" ? "dropped" : undefined;
  return outcomeOf(platen, began, { failure: page.failed, end });
}

/** @returns null if `stop` aborted the attempt */
export async function postForm(
  platen: Platen,
  outgoing: HttpClient,
  blogId: number | null,
  { url, fields, stop }: { url: string; fields: Record<string, string>; stop: AbortSignal },
): Promise<Outcome | null> {
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const body = String(new URLSearchParams(fields));
  const request = { method: "POST", url, headers, body, within: TIMEOUT_MS, stop } as const;
  return await outcomeOfRequest(platen, () => sendForBlog(platen, outgoing, blogId, request));
}
