import { createHmac, timingSafeEqual } from "node:crypto";
import { instanceSecret } from "../database/instance-secret";
import { html } from "../html";
import type { Platen } from "../platen";
import type { StoredBlob } from "./files/blobs";

/** The rich-text element that embeds a blob in a post's content (interface.md Upload result). */
export function attachmentSnippet(platen: Platen, blob: StoredBlob): string {
  const { contentType, filename, caption } = blob;
  return html`<action-text-attachment sgid="${signBlob(platen, blob)}" content-type="${contentType}" filename="${filename}" caption="${caption}"></action-text-attachment>`
    .markup;
}

/** The blob's signed id: it cannot be made up, and holds in its own blog only. */
export function signBlob(platen: Platen, blob: Pick<StoredBlob, "id" | "blogId">): string {
  const claim = `${blob.id}.${blob.blogId}`;
  return `${Buffer.from(claim).toString("base64url")}.${signatureOf(platen, claim).toString("base64url")}`;
}

/** The id in a signed id; null where it is forged, damaged or of another blog. */
export function blobIdOf(platen: Platen, blogId: number, sgid: string): number | null {
  const [claimed = "", signed = ""] = sgid.split(".");
  const claim = Buffer.from(claimed, "base64url").toString();
  const signature = Buffer.from(signed, "base64url");
  const expected = signatureOf(platen, claim);
  if (signature.length !== expected.length || !timingSafeEqual(signature, expected)) return null;
  const [id, ofBlog] = claim.split(".").map(Number);
  return ofBlog === blogId ? (id as number) : null;
}

/** Not cached: a secret first made in a transaction that is rolled back never was. */
function signatureOf(platen: Platen, claim: string): Buffer {
  return createHmac("sha256", instanceSecret(platen, "attachment ids")).update(claim).digest();
}
