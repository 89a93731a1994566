import { accountById } from "../accounts/accounts";
import { blogById } from "../blogs/blogs";
import type { Failure, HttpClient, HttpRequest, HttpResponse } from "../outgoing/http-client";
import type { Platen } from "../platen";
import type { Outcome } from "./channel";

/** A request for a blog; the owner must be an admin to reach private hosts that the settings allow. */
export function sendForBlog(
  platen: Platen,
  outgoing: HttpClient,
  blogId: number | null,
  request: Omit<HttpRequest, "isForAdmin">,
): Promise<HttpResponse | Failure> {
  const blog = blogId === null ? undefined : blogById(platen, blogId);
  const isForAdmin = (blog && accountById(platen, blog.accountId)?.isAdmin) ?? false;
  return outgoing.send({ ...request, isForAdmin });
}

export function outcomeOf(platen: Platen, began: Date, known: Partial<Outcome>): Outcome {
  const duration = platen.now().getTime() - began.getTime();
  return { at: began, duration, status: null, failure: null, answer: "", retryAfter: 0, ...known };
}

const MAX_RETRY_AFTER_SECONDS = 86_400;

/** Retry-After in seconds, as most servers write it. @returns milliseconds; 0 if absent */
export function retryAfterOf(header: string | undefined): number {
  return /^\d{1,6}$/.test(header ?? "") ? 1000 * Math.min(Number(header), MAX_RETRY_AFTER_SECONDS) : 0;
}
