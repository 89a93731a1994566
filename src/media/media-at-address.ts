import type { Platen } from "../platen";
import { blobInFolder, type StoredBlob } from "./files/blobs";
import { mediaPath } from "./media-urls";

/** The blob served at a public address, or that the address leads to since it took the place of another. */
export function blobAtAddress(platen: Platen, address: string): StoredBlob | undefined {
  const own = `${platen.config.url}/media/`;
  const folder = address.startsWith(own) ? address.slice(own.length).split("/")[0] : undefined;
  const blob = folder ? blobInFolder(platen, folder) : undefined;
  const isFormer = blob?.folder !== folder;
  return blob && (isFormer || platen.config.url + mediaPath(blob) === address) ? blob : undefined;
}
