import { callerOf } from "../access/authentication";
import { requireScope } from "../access/scopes";
import type { Caller } from "../accounts/keys";
import { blogOfRow } from "../blogs/blogs";
import { conflict, malformed, requireFound } from "../errors";
import type { Call } from "../http/requests/call";
import { emptyResponse, type HttpResponse, jsonResponse } from "../http/responses/response";
import { attachmentSnippet, blobAtUrl } from "../media/attachment-element";
import { recentBlobs, type StoredBlob } from "../media/files/blobs";
import { checkCaption } from "../media/files/file-formats-and-limits";
import { mediaPath } from "../media/files/media-urls";
import { makeThumbnailLater } from "../media/renditions";
import { discardUpload, storeUpload } from "../media/uploads";
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
