import { accountById } from "../accounts/accounts";
import { blogById } from "../blogs/blogs";
import { SECOND } from "../config/units";
import type { Failure, HttpClient, HttpRequest, HttpResponse } from "../outgoing/http-client";
import { firstBytes } from "../outgoing/http-client";
import type { Platen } from "../platen";
import { cleanText } from "../text/clean-text";
import type { Outcome, SendTools } from "./channel";
import { retryAfterOf } from "./retries-and-disabling";

const TIMEOUT_MS = 10 * SECOND;
const MAX_REDIRECTS = 5;
const MAX_ANSWER_BYTES = 1024;
const RETRY_AFTER_STATUSES = [429, 503];

/** Only blogs of admins may reach hosts in PLATEN_PRIVATE_HOSTS. */
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

/** @returns null if shutdown stopped the request */
export async function outcomeOfRequest(sending: Promise<HttpResponse | Failure>, at: Date) {
  const began = performance.now();
  const response = await sending;
  const duration = Math.round(performance.now() - began);
  if ("failed" in response)
    return response.kind === "stopped" ? null : { duration, failure: response.failed };
  const { statusCode: status, headers } = response;
  try {
    const answer = cleanText(new TextDecoder().decode(await firstBytes(response, MAX_ANSWER_BYTES)));
    const mayWait = RETRY_AFTER_STATUSES.includes(status);
    const retryAfter = mayWait ? retryAfterOf(headers["retry-after"], at) : 0;
    return { duration, status, failure: redirectOf(response), answer, retryAfter };
  } catch (error) {
    return { duration, failure: (error as Error).message };
  }
}

function redirectOf({ statusCode, headers }: HttpResponse): string | undefined {
  if (statusCode < 300 || statusCode > 399 || !headers.location) return;
  return cleanText(`it redirects to ${headers.location}, which is not followed`);
}

/** @returns the response, the outcome of a failed attempt, or null if `stop` aborted the attempt */
export async function fetchPage(
  platen: Platen,
  { outgoing, stop }: SendTools,
  blogId: number | null,
  request: { url: string; headers: { accept: string } },
): Promise<HttpResponse | Outcome | null> {
  const limits = { redirects: MAX_REDIRECTS, within: TIMEOUT_MS, stop };
  const page = await sendForBlog(platen, outgoing, blogId, { ...request, ...limits });
  if (!("failed" in page)) return page;
  if (page.kind === "stopped") return null;
  return { failure: page.failed, end: page.kind === "refused" ? "dropped" : undefined };
}

/** @returns null if `stop` aborted the attempt */
export async function postForm(
  platen: Platen,
  { at, outgoing, stop }: SendTools,
  blogId: number | null,
  url: string,
  fields: Record<string, string>,
): Promise<Outcome | null> {
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const body = String(new URLSearchParams(fields));
  const request = { method: "POST", url, headers, body, within: TIMEOUT_MS, stop } as const;
  return await outcomeOfRequest(sendForBlog(platen, outgoing, blogId, request), at);
}
