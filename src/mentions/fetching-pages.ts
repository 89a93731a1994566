import { SECOND } from "../config/units";
import type { Outcome } from "../deliveries/channel";
import { outcomeOf, outcomeOfRequest, sendForBlog } from "../deliveries/outgoing-request";
import type { HttpClient, HttpResponse } from "../outgoing/http-client";
import type { Platen } from "../platen";

const TIMEOUT_MS = 10 * SECOND;
export const MAX_PAGE_BYTES = 1_000_000;
const MAX_REDIRECTS = 5;

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
