import { stale } from "../../errors";
import type { Call } from "../requests/call";
import { readHeader } from "../requests/headers";

/** A strong entity tag of a body (RFC 9110 8.8.3). It needs no protection, so a fast hash is enough. */
export function etagOf(body: string | Uint8Array): string {
  return `"${Bun.hash.xxHash3(body).toString(36)}"`;
}

/** Whether a list of entity tags ("a", W/"b", or *) contains this one. Weak tags count for reads only (RFC 9110 8.8.3.2). */
export function matchesEtag(list: string, etag: string, allowWeak = true): boolean {
  const tags = list.split(",").map((tag) => tag.trim());
  return tags.includes("*") || tags.includes(etag) || (allowWeak && tags.includes(`W/${etag}`));
}

/** @throws Refusal (stale) if the request's If-Match does not match the current entity tag (RFC 9110 13.1.1) */
export function assertIfMatch({ request }: Call, etag: () => string): void {
  const expected = readHeader(request, "if-match");
  if (expected !== null && !matchesEtag(expected, etag(), false))
    throw stale("The post has changed since you read it. Read it again, then repeat your change.");
}

/** SHA-256 of a value's JSON, in hex digits. @param prefix hashed before it */
export function jsonSha256(value: unknown, prefix = ""): string {
  return new Bun.CryptoHasher("sha256")
    .update(prefix)
    .update(JSON.stringify(value) ?? "")
    .digest("hex");
}
