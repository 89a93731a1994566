import type { Platen } from "../platen";
import { signText, verifySignature } from "../secrets";
import { html } from "../text/html";
import { blobInFolder, type StoredBlob } from "./files/blobs";
import { mediaPath } from "./files/media-urls";

export function attachmentSnippet(platen: Platen, blob: StoredBlob): string {
  const { contentType, filename, caption } = blob;
  return html`<action-text-attachment sgid="${sgidOf(platen, blob)}" content-type="${contentType}" filename="${filename}" caption="${caption}"></action-text-attachment>`
    .markup;
}

const PURPOSE = "attachment ids";

/** The signed id is valid only in the blob's own blog. */
export function sgidOf(platen: Platen, blob: Pick<StoredBlob, "id" | "blogId">): string {
  const claim = `${blob.id}.${blob.blogId}`;
  return `${Buffer.from(claim).toString("base64url")}.${signText(platen, PURPOSE, claim)}`;
}

/** @returns null if the signed id is forged, damaged or belongs to another blog */
export function blobIdInSgid(platen: Platen, blogId: number, sgid: string): number | null {
  const [encodedClaim = "", signature = ""] = sgid.split(".");
  const claim = Buffer.from(encodedClaim, "base64url").toString();
  if (!verifySignature(platen, PURPOSE, claim, signature)) return null;
  const [id, claimedBlogId] = claim.split(".").map(Number);
  return claimedBlogId === blogId ? (id as number) : null;
}

/** For the old URL of a replaced file, returns the current blob. */
export function blobAtUrl(platen: Platen, url: string): StoredBlob | undefined {
  const own = `${platen.config.url}/media/`;
  const folder = url.startsWith(own) ? url.slice(own.length).split("/")[0] : undefined;
  const blob = folder ? blobInFolder(platen, folder) : undefined;
  const isReplaced = blob?.folder !== folder;
  return blob && (isReplaced || platen.config.url + mediaPath(blob) === url) ? blob : undefined;
}
