import { rm } from "node:fs/promises";
import { callerOf } from "../access/authentication";
import { reachableBlogs, requireScope } from "../access/scopes";
import type { Caller } from "../accounts/api-keys";
import { type Blog, blogOfRow } from "../blogs/blogs";
import { SECOND } from "../config/units";
import { conflict, malformed, Refusal, requireFound } from "../errors";
import type { Call } from "../http/requests/call";
import { emptyResponse, type HttpResponse, jsonResponse } from "../http/responses/response";
import { attachmentSnippet, blobAtUrl } from "../media/attachment-element";
import { fetchFile } from "../media/fetching-remote-files";
import { recentBlobs, type StoredBlob } from "../media/files/blobs";
import { checkCaption } from "../media/files/file-formats-and-limits";
import { mediaFolder } from "../media/files/media-folder";
import { fileBytes } from "../media/files/media-store";
import { mediaPath } from "../media/files/media-urls";
import { makeThumbnailLater } from "../media/renditions";
import { discardUpload, type ReceivedFile, receiveUpload, storeUpload } from "../media/uploads";
import type { Platen } from "../platen";
import { deleteUnused } from "../posts/media-library/unused-files";
import { assertAccess } from "../posts/reading/finding-posts";
import { isObject } from "../text/json";
import { parseAction, propertyLists } from "./parsing-actions";
import { parsePaging, queryAnswer } from "./queries";
import { type MicropubRequest, readRequest, targetBlogOf } from "./reading-requests";

const CAPTION_FIELDS = /^(description|alt|caption|mp-photo-alt)(\[\])?$/;

export async function handleMediaPost(call: Call): Promise<HttpResponse> {
  const request = await readRequest(call);
  try {
    const isUpload = request.files.length > 0 || !namesAction(request);
    return isUpload ? await uploadMedia(call, request) : await removeMedia(call.platen, request);
  } finally {
    for (const file of request.files) await discardUpload(file);
  }
}

function namesAction({ sent }: MicropubRequest): boolean {
  if ("form" in sent) return sent.form.some(([name]) => name === "action");
  return isObject(sent.json) && "action" in sent.json;
}

export async function uploadMedia(call: Call, { caller, sent, files }: MicropubRequest) {
  const { platen } = call;
  requireScope(caller, "POST /micropub/media");
  const fields = "form" in sent ? sent.form : [];
  const blog = targetBlogOf(call, caller, propertyLists(fields));
  const described = fields.find(([name, value]) => CAPTION_FIELDS.test(name) && value.trim() !== "");
  const caption = checkCaption(described?.[1] ?? "");
  const [file, ...more] = files;
  if (!file || more.length > 0)
    throw malformed("Send multipart/form-data with one file, in the field file.", {
      file: ["must be one file"],
    });
  const blob = await storeUpload(platen, blog, file, { caption });
  makeThumbnailLater(platen, blob);
  const url = platen.config.url + mediaPath(blob);
  const { filename, mediaType } = blob;
  const body = { url, html: attachmentSnippet(platen, blob), filename, media_type: mediaType };
  return jsonResponse(201, body, { location: url });
}

async function removeMedia(platen: Platen, { caller, sent }: MicropubRequest): Promise<HttpResponse> {
  requireScope(caller, "POST /micropub/media action=delete");
  const action = parseAction(sent);
  if (action.action !== "delete") throw malformed("Files only support action=delete.");
  const blob = ownBlobAt(platen, caller, action.url);
  const deleted = await deleteUnused(platen, [blob]);
  if (deleted.length === 0)
    throw conflict(
      "The file is used by a post, a revision, a header, a footer or custom CSS. Remove it there first.",
    );
  return emptyResponse();
}

export function answerMediaQuery(call: Call): HttpResponse {
  const { platen } = call;
  const params = call.url.searchParams;
  const caller = callerOf(call);
  const query = params.get("q") ?? "source";
  if (query !== "source" && query !== "last") throw malformed("q must be source or last.");
  requireScope(caller, `GET /micropub/media?q=${query}`);
  const url = params.get("url");
  if (query === "source" && url !== null) return queryAnswer(present(platen, ownBlobAt(platen, caller, url)));
  const blog = targetBlogOf(call, caller);
  if (query === "last") {
    const [last] = recentBlobs(platen, blog.id, { limit: 1, offset: 0 });
    return queryAnswer(last ? present(platen, last) : {});
  }
  const filename = params.get("filter") ?? undefined;
  const files = recentBlobs(platen, blog.id, { ...parsePaging(params), filename });
  return queryAnswer({ items: files.map((blob) => present(platen, blob)) });
}

function present(platen: Platen, blob: StoredBlob) {
  return {
    url: platen.config.url + mediaPath(blob),
    published: blob.createdAt.toISOString(),
    filename: blob.filename,
    media_type: blob.mediaType,
    mime_type: blob.contentType,
    html: attachmentSnippet(platen, blob),
    alt: blob.caption || undefined,
    width: blob.width ?? undefined,
    height: blob.height ?? undefined,
  };
}

function ownBlobAt(platen: Platen, caller: Caller, address: string): StoredBlob {
  const blob = requireFound(blobAtUrl(platen, address.trim()), "file");
  assertAccess(caller, blogOfRow(platen, blob), "file");
  return blob;
}

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
