import { rm } from "node:fs/promises";
import { reachableBlogs, requireScope } from "../access/scopes";
import type { Caller } from "../accounts/keys";
import type { Blog } from "../blogs/blogs";
import { SECOND } from "../config/units";
import { Refusal } from "../errors";
import { blobAtUrl } from "../media/attachment-element";
import { fetchFile } from "../media/fetching-remote-files";
import type { StoredBlob } from "../media/files/blobs";
import { mediaFolder } from "../media/files/media-folder";
import { fileBytes } from "../media/files/media-store";
import { mediaPath } from "../media/files/media-urls";
import { makeThumbnailLater } from "../media/renditions";
import { type ReceivedFile, receiveUpload, storeUpload } from "../media/uploads";
import type { Platen } from "../platen";
import { deleteUnused } from "../posts/media-library/unused-files";

/** Time limit for all photos and videos of a post together. */
const FETCH_DEADLINE_MS = 10 * SECOND;
const MAX_FETCHED = 10;
const FETCH_CONCURRENCY = 4;

export interface FetchedMedia {
  /** Sent URL, or an upload's media folder → URL of the stored file. */
  addresses: Map<string, string>;
  blobs: StoredBlob[];
  warnings: string[];
}

/**
 * Media that cannot be fetched stay links.
 * @param urls may contain URLs of media of this blog and other text, which are skipped
 */
export async function fetchMedia(platen: Platen, caller: Caller, blog: Blog, urls: string[]) {
  const fetched: FetchedMedia = { addresses: new Map(), blobs: [], warnings: [] };
  const until = performance.now() + FETCH_DEADLINE_MS;
  const queue = [...new Set(urls)].filter((address) => !isOfBlog(platen, blog, address));
  if (queue.length > 0) requireScope(caller, "sending or fetching a photo or video");
  const unfetched = queue.splice(MAX_FETCHED);
  if (unfetched.length > 0)
    fetched.warnings.push(`Only the first ${MAX_FETCHED} photos were fetched. The others stay links.`);
  const work = async () => {
    for (let address = queue.shift(); address !== undefined; address = queue.shift()) {
      const outcome = await fetchOrCopy(platen, caller, blog, address, until - performance.now());
      if ("failed" in outcome) fetched.warnings.push(`${address} could not be fetched${outcome.failed}.`);
      else addMedia(platen, fetched, outcome, address);
    }
  };
  await Promise.all(Array.from({ length: FETCH_CONCURRENCY }, work));
  return fetched;
}

export async function storeUploads(platen: Platen, blog: Blog, files: ReceivedFile[], fetched: FetchedMedia) {
  const stored: StoredBlob[] = [];
  for (const file of files) {
    const blob = await storeUpload(platen, blog, file);
    addMedia(platen, fetched, blob, blob.folder);
    stored.push(blob);
  }
  return stored;
}

/** Called after every save: media is unused if the post was rejected or is a repeat. */
export async function deleteUnusedMedia(platen: Platen, { blobs }: FetchedMedia): Promise<void> {
  try {
    for (const { folder } of await deleteUnused(platen, blobs))
      await rm(mediaFolder(platen, folder), { recursive: true, force: true });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
}

function addMedia(platen: Platen, { addresses, blobs }: FetchedMedia, blob: StoredBlob, address: string) {
  addresses.set(address, platen.config.url + mediaPath(blob));
  blobs.push(blob);
  makeThumbnailLater(platen, blob);
}

function isOfBlog(platen: Platen, blog: Blog, address: string): boolean {
  return !/^https?:\/\//i.test(address) || blobAtUrl(platen, address)?.blogId === blog.id;
}

async function fetchOrCopy(platen: Platen, caller: Caller, blog: Blog, address: string, within: number) {
  if (within <= 0) return { failed: ": the time limit was reached" };
  try {
    const ownBlob = blobAtUrl(platen, address);
    if (ownBlob) return await copyFromSibling(platen, caller, blog, ownBlob);
  } catch (error) {
    if (error instanceof Refusal) return { failed: `: ${error.message.replace(/\.$/, "")}` };
    platen.log(`The photo ${address} could not be copied: ${error}`);
    return { failed: "" };
  }
  return await fetchFile(platen, blog, address, { isForAdmin: caller.account.isAdmin, within });
}

/** Every blog has its own files, so a file of another blog is copied. */
async function copyFromSibling(platen: Platen, caller: Caller, blog: Blog, blob: StoredBlob) {
  if (!reachableBlogs(platen, caller).some(({ id }) => id === blob.blogId))
    return { failed: ": it belongs to a blog that this key cannot access" };
  const bytes = await fileBytes(platen, blob, blob.filename);
  const upload = await receiveUpload(platen, bytes, blob.filename);
  return await storeUpload(platen, blog, upload, { caption: blob.caption });
}
