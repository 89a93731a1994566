import { stale } from "../../errors";
import type { Call } from "../requests/call";
import { readHeader } from "../requests/headers";

/** A strong entity tag of a body (RFC 9110 8.8.3). It tells bodies apart, and proves nothing: a fast hash does. */
export function etagOf(body: string | Uint8Array): string {
  return `"${Bun.hash.xxHash3(body).toString(36)}"`;
}

/** Does a list of entity tags ("a", W/"b", or *) hold this one? A weak tag serves for reading only (RFC 9110 8.8.3.2). */
export function matchesEtag(list: string, etag: string, weakly = true): boolean {
  const tags = list.split(",").map((tag) => tag.trim());
  return tags.includes("*") || tags.includes(etag) || (weakly && tags.includes(`W/${etag}`));
}

/** @throws Refusal (stale) where the request has an If-Match that the present thing does not meet (RFC 9110 13.1.1) */
export function assertIfMatch({ request }: Call, etag: () => string): void {
  const wanted = readHeader(request, "if-match");
  if (wanted !== null && !matchesEtag(wanted, etag(), false))
    throw stale("This post has changed since you read it: read it again, then repeat your change.");
}

/** SHA-256 in hex digits of the JSON of a value. @param before what else is hashed */
export function jsonSha256(value: unknown, before = ""): string {
  return new Bun.CryptoHasher("sha256")
    .update(before)
    .update(JSON.stringify(value) ?? "")
    .digest("hex");
}
