import { stale } from "../../errors";

/** What a door sends, before it is a Response: it can be kept and sent again. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export function jsonAnswer(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return {
    status,
    headers: { "content-type": "application/json; charset=utf-8", ...headers },
    body: JSON.stringify(body),
  };
}

export const emptyAnswer = (): Answer => ({ status: 204, headers: {}, body: "" });

export function send({ status, headers, body }: Answer): Response {
  return new Response(status === 204 || status === 304 ? null : body, { status, headers });
}

/** A read: with an ETag over the body, and 304 where the client has this very body already. */
export function sendFresh(request: Request, answer: Answer, etag = etagOf(answer.body)): Response {
  const headers = { ...answer.headers, etag, "cache-control": "private, no-cache" };
  if (matchesEtag(request.headers.get("if-none-match"), etag))
    return new Response(null, { status: 304, headers: { etag, "cache-control": headers["cache-control"] } });
  return send({ ...answer, headers });
}

/** A strong entity tag of a text (RFC 9110 8.8.3). */
export function etagOf(text: string): string {
  return `"${new Bun.CryptoHasher("sha1").update(text).digest("base64url")}"`;
}

/** @throws Refusal (stale) where the request has an If-Match that the present thing does not meet (RFC 9110 13.1.1) */
export function requireMatch(request: Request, etag: () => string): void {
  const wanted = request.headers.get("if-match");
  if (wanted !== null && !matchesEtag(wanted, etag(), false))
    throw stale("This post has changed since you read it: read it again, then repeat your change.");
}

/** Does a list of entity tags ("a", W/"b", or *) hold this one? A weak tag serves for reading only (RFC 9110 8.8.3.2). */
export function matchesEtag(list: string | null, etag: string, weakly = true): boolean {
  if (list === null) return false;
  const tags = list.split(",").map((tag) => tag.trim());
  return tags.includes("*") || tags.includes(etag) || (weakly && tags.includes(`W/${etag}`));
}
