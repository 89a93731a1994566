import { callerOf } from "../../access/authentication";
import { requireScope } from "../../access/scope-checks";
import type { Caller } from "../../accounts/keys";
import { blogHolding } from "../../blogs/blogs";
import { conflict, malformed, notFound } from "../../errors";
import type { Call } from "../../http/requests/call";
import { emptyResponse, type HttpResponse, jsonResponse } from "../../http/responses/response";
import { attachmentSnippet } from "../../media/attachment-element";
import { blobAtUrl } from "../../media/files/blob-at-url";
import { recentBlobs, type StoredBlob } from "../../media/files/blobs";
import { checkCaption } from "../../media/files/filenames";
import { mediaPath } from "../../media/files/media-urls";
import { makeThumbnailLater } from "../../media/images/renditions";
import { discardUpload, storeUpload } from "../../media/uploads";
import type { Platen } from "../../platen";
import { deleteUnused } from "../../posts/library/deleting-unused-files";
import { assertAccess } from "../../posts/reading/finding-posts";
import { targetBlogOf } from "../requests/destination";
import { actionIn, type Field, listsIn } from "../requests/parsed-request";
import { type MicropubRequest, readRequest } from "../requests/request-body";
import { pageIn } from "./query-paging";

/** What apps call the description of a picture. */
const CAPTIONS = ["description", "alt", "caption", "mp-photo-alt"];

/** A POST to the media endpoint: an upload, or the deletion of one. */
export async function writeMedia(call: Call): Promise<HttpResponse> {
  const request = await readRequest(call);
  try {
    const { sent } = request;
    const isUpload =
      request.files.length > 0 || ("form" in sent && !sent.form.some(([name]) => name === "action"));
    return isUpload ? await upload(call, request) : await remove(call.platen, request);
  } finally {
    for (const file of request.files) await discardUpload(file);
  }
}

/** One file per request, in any field. */
export async function upload(call: Call, { caller, sent, files }: MicropubRequest): Promise<HttpResponse> {
  const { platen } = call;
  requireScope(caller, "POST /micropub/media");
  const fields = "form" in sent ? sent.form : [];
  const blog = targetBlogOf(call, caller, listsIn(fields));
  const caption = captionIn(fields);
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

function captionIn(fields: Field[]): string {
  const sent = fields.find(
    ([name, value]) => CAPTIONS.includes(name.replace(/\[\]$/, "")) && value.trim() !== "",
  );
  return checkCaption(sent?.[1] ?? "");
}

/** @throws Refusal (conflict) for a file that a post shows */
async function remove(platen: Platen, { caller, sent }: MicropubRequest): Promise<HttpResponse> {
  requireScope(caller, "POST /micropub/media action=delete");
  const action = actionIn(sent);
  if (action.action !== "delete") throw malformed("Of a file, action can only be delete.");
  const blob = ownBlobAt(platen, caller, action.url);
  const gone = await deleteUnused(platen, [blob]);
  if (gone.length === 0)
    throw conflict(
      "This file is shown by a post or an older version of one, or by a header, footer or custom CSS: take it out there first.",
    );
  return emptyResponse();
}

/** The answer to a GET of the media endpoint: the newest files, one by its address, or the last. */
export function answerMediaQuery(call: Call): unknown {
  const {
    platen,
    url: { searchParams: params },
  } = call;
  const caller = callerOf(call);
  const query = params.get("q") ?? "source";
  if (query !== "source" && query !== "last")
    throw malformed("The media endpoint knows the queries source and last.");
  requireScope(caller, `GET /micropub/media?q=${query}`);
  const url = params.get("url");
  if (query === "source" && url !== null) return present(platen, ownBlobAt(platen, caller, url));
  const blog = targetBlogOf(call, caller);
  if (query === "last") {
    const [last] = recentBlobs(platen, blog.id, { limit: 1, offset: 0 });
    return last ? present(platen, last) : {};
  }
  const named = params.get("filter") ?? undefined;
  return {
    items: recentBlobs(platen, blog.id, { ...pageIn(params), named }).map((blob) => present(platen, blob)),
  };
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

/** @throws Refusal: missing, or forbidden */
function ownBlobAt(platen: Platen, caller: Caller, address: string): StoredBlob {
  const blob = blobAtUrl(platen, address.trim());
  if (!blob) throw notFound("file");
  assertAccess(caller, blogHolding(platen, blob), "file");
  return blob;
}
