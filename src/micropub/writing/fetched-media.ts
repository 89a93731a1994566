import { rm } from "node:fs/promises";
import { requireScope } from "../../access/scope-checks";
import { reachableBlogs } from "../../access/target-blog";
import type { Caller } from "../../accounts/keys";
import type { Blog } from "../../blogs/blogs";
import { SECOND } from "../../config/units";
import { Refusal } from "../../errors";
import { fetchFile } from "../../media/fetching-files";
import { blobAtUrl } from "../../media/files/blob-at-url";
import type { StoredBlob } from "../../media/files/blobs";
import { mediaFolder } from "../../media/files/media-folder";
import { mediaPath } from "../../media/files/media-urls";
import { makeThumbnailLater } from "../../media/images/renditions";
import { fileBytes } from "../../media/store/reading-files";
import { type ReceivedFile, receiveUpload, storeUpload } from "../../media/uploads";
import type { Platen } from "../../platen";
import { deleteUnused } from "../../posts/library/deleting-unused-files";

/** How long the fetching of one post's photos may take altogether. */
const FETCHED_WITHIN = 10 * SECOND;
const MOST_FETCHED = 10;
const FETCHED_AT_ONCE = 4;

/** The media of a post that is not written yet. */
interface FetchedMedia {
  /** Address as it was sent → our own address of the copy. */
  addresses: Map<string, string>;
  blobs: StoredBlob[];
  /** What could not be fetched and why, in sentences. */
  warnings: string[];
}

/**
 * Fetches what is given by its address. What cannot be fetched stays a link: no post fails because of it.
 * @param wanted addresses of any kind; ours that are of this blog already, and those that are none, are left as they are
 * @throws Refusal (unscoped), before anything is asked for
 */
export async function fetchMedia(
  platen: Platen,
  caller: Caller,
  blog: Blog,
  wanted: string[],
): Promise<FetchedMedia> {
  const fetched: FetchedMedia = { addresses: new Map(), blobs: [], warnings: [] };
  const until = performance.now() + FETCHED_WITHIN;
  const queue = [...new Set(wanted)].filter((address) => !isOfBlog(platen, blog, address));
  if (queue.length > 0) requireScope(caller, "a photo or video to take, or to fetch");
  const rest = queue.splice(MOST_FETCHED);
  if (rest.length > 0)
    fetched.warnings.push(`Only ${MOST_FETCHED} photos are fetched at once; the others stay links.`);
  const work = async () => {
    for (let address = queue.shift(); address !== undefined; address = queue.shift()) {
      const outcome = await copyOf(platen, caller, blog, address, until - performance.now());
      if ("failed" in outcome) fetched.warnings.push(`${address} could not be fetched${outcome.failed}.`);
      else keep(platen, fetched, outcome, address);
    }
  };
  await Promise.all(Array.from({ length: FETCHED_AT_ONCE }, work));
  return fetched;
}

/** Adds the request's own uploads. @throws Refusal where one of them is damaged */
export async function storeUploads(
  platen: Platen,
  blog: Blog,
  files: ReceivedFile[],
  fetched: FetchedMedia,
): Promise<StoredBlob[]> {
  const kept: StoredBlob[] = [];
  for (const file of files) {
    const blob = await storeUpload(platen, blog, file);
    keep(platen, fetched, blob, blob.folder);
    kept.push(blob);
  }
  return kept;
}

/** Deletes what no post uses after all: the post was refused, or is a repeat. No copy needs these files, so they go at once. */
export async function deleteUnusedMedia(platen: Platen, { blobs }: FetchedMedia): Promise<void> {
  try {
    for (const { folder } of await deleteUnused(platen, blobs))
      await rm(mediaFolder(platen, folder), { recursive: true, force: true });
  } catch (fault) {
    if (!(fault instanceof Refusal)) throw fault;
  }
}

function keep(platen: Platen, { addresses, blobs }: FetchedMedia, blob: StoredBlob, address: string): void {
  addresses.set(address, platen.config.url + mediaPath(blob));
  blobs.push(blob);
  makeThumbnailLater(platen, blob);
}

function isOfBlog(platen: Platen, blog: Blog, address: string): boolean {
  return !/^https?:\/\//i.test(address) || blobAtUrl(platen, address)?.blogId === blog.id;
}

/** @param within in milliseconds */
async function copyOf(
  platen: Platen,
  caller: Caller,
  blog: Blog,
  address: string,
  within: number,
): Promise<StoredBlob | { failed: string }> {
  if (within <= 0) return { failed: ": there was no time left for it" };
  try {
    const own = blobAtUrl(platen, address);
    if (own) return await copyFromSibling(platen, caller, blog, own);
  } catch (fault) {
    if (fault instanceof Refusal) return { failed: `: ${fault.message.replace(/\.$/, "")}` };
    platen.log(`The photo ${address} could not be copied: ${fault}`);
    return { failed: "" };
  }
  return await fetchFile(platen, blog, address, { isForAdmin: caller.account.isAdmin, within });
}

/** Uploaded to one blog and shown in another of the same account: every blog has its own files. */
async function copyFromSibling(platen: Platen, caller: Caller, blog: Blog, blob: StoredBlob) {
  if (!reachableBlogs(platen, caller).some(({ id }) => id === blob.blogId))
    return { failed: ": it is a file of a blog that this key does not reach" };
  const bytes = await fileBytes(platen, blob, blob.filename);
  const taken = await receiveUpload(platen, bytes, blob.filename);
  return await storeUpload(platen, blog, taken, { caption: blob.caption });
}
