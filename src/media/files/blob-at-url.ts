import type { Platen } from "../../platen";
import { blobInFolder, type StoredBlob } from "./blobs";
import { mediaPath } from "./media-urls";

/** Returns the blob at a public URL. The old URL of a replaced file finds the current blob. */
export function blobAtUrl(platen: Platen, url: string): StoredBlob | undefined {
  const own = `${platen.config.url}/media/`;
  const folder = url.startsWith(own) ? url.slice(own.length).split("/")[0] : undefined;
  const blob = folder ? blobInFolder(platen, folder) : undefined;
  const isFormer = blob?.folder !== folder;
  return blob && (isFormer || platen.config.url + mediaPath(blob) === url) ? blob : undefined;
}
