import { permittedDraft } from "../../access/scopes";
import { findSavedResponse, saveResponse } from "../../accounts/idempotent-responses";
import type { Caller } from "../../accounts/keys";
import { postUrl } from "../../blogs/permalinks";
import { Refusal } from "../../errors";
import type { Call } from "../../http/requests/call";
import { jsonResponse, jsonSha256, type TextResponse } from "../../http/responses/response";
import type { StoredBlob } from "../../media/files/blobs";
import { mediaPath } from "../../media/files/media-urls";
import type { Platen } from "../../platen";
import type { Properties } from "../../posts/post/mf2-properties";
import type { Post } from "../../posts/post/post";
import { postAtUrl } from "../../posts/reading/finding-posts";
import { checkChanges } from "../../posts/writing/post-changes";
import { savePost } from "../../posts/writing/saving";
import { targetBlogOf } from "../requests/destination";
import { mediaAddresses, withAddresses, withPhotoAlts } from "../requests/media-properties";
import type { Action } from "../requests/parsed-request";
import type { MicropubRequest } from "../requests/request-body";
import { postChangesFromMf2, translationContext } from "../translation/mf2-to-post";
import { deleteUnusedMedia, fetchMedia, storeUploads } from "./fetched-media";

/** Validates before fetching media; then saves the post in one transaction. */
export async function createPost(
  call: Call,
  { caller, files }: MicropubRequest,
  { properties, commands }: Extract<Action, { action: "create" }>,
): Promise<TextResponse> {
  const { platen } = call;
  const blog = targetBlogOf(call, caller, commands);
  checkChanges(
    permittedDraft(caller, postChangesFromMf2(properties, commands, translationContext(platen, blog))),
  );
  const name = createFingerprint([blog.id, properties, commands, files.map(({ sha256 }) => sha256)]);
  const isStillTrue = (response: TextResponse) =>
    postExistsAt(platen, caller, response.headers.get("location") as string);
  const before = earlierResponse(platen, caller, name, isStillTrue);
  if (before) return before;

  const fetched = await fetchMedia(platen, caller, blog, mediaAddresses(properties));
  try {
    const uploads = await storeUploads(platen, blog, files, fetched);
    const given = withUploads(platen, properties, uploads);
    const whole = withAddresses(withPhotoAlts(given, commands["mp-photo-alt"]), fetched.addresses);
    const request = () => {
      const draft = permittedDraft(
        caller,
        postChangesFromMf2(whole, commands, translationContext(platen, blog)),
      );
      return { blog, before: null, changes: { ...draft, status: draft.status ?? "published" } };
    };
    return await savePost(platen, caller, request, (save) =>
      createOnce(platen, caller, name, isStillTrue, () => {
        const { post, warnings } = save();
        return createdResponse(platen, post, [...fetched.warnings, ...warnings]);
      }),
    );
  } finally {
    await deleteUnusedMedia(platen, fetched);
  }
}

function withUploads(platen: Platen, properties: Properties, uploads: StoredBlob[]): Properties {
  const whole = { ...properties };
  for (const blob of uploads) {
    const name = blob.mediaType === "image" ? "photo" : "video";
    whole[name] = [...(whole[name] ?? []), platen.config.url + mediaPath(blob)];
  }
  return whole;
}

function postExistsAt(platen: Platen, caller: Caller, url: string): boolean {
  try {
    return postAtUrl(platen, caller, url) !== undefined;
  } catch (fault) {
    if (fault instanceof Refusal) return false;
    throw fault;
  }
}

/** The URL is also in the body, for apps that cannot read headers. */
export function createdResponse(platen: Platen, post: Post, warnings: string[]): TextResponse {
  const url = postUrl(platen, post.blog, post);
  const notes = warnings.length > 0 ? { warnings } : {};
  return jsonResponse(201, { url, ...notes }, { location: url });
}

/** Apps send a post again if they get no response. */
const REPEAT_WINDOW_MS = 60_000;

/**
 * Does the work once within a minute for the same key and content. Call it in the transaction of the work.
 * @param name from `createFingerprint`
 * @param isStillTrue whether the post in the stored response still exists
 */
function createOnce(
  platen: Platen,
  caller: Caller,
  name: string,
  isStillTrue: (response: TextResponse) => boolean,
  work: () => TextResponse,
): TextResponse {
  const earlier = earlierResponse(platen, caller, name, isStillTrue);
  if (earlier) return earlier;
  const response = work();
  saveResponse(platen, caller, name, { request: name, response });
  return response;
}

/** The response to the same request within the last minute. */
function earlierResponse(
  platen: Platen,
  caller: Caller,
  name: string,
  isStillTrue: (response: TextResponse) => boolean,
): TextResponse | undefined {
  const response = findSavedResponse(platen, caller, name, REPEAT_WINDOW_MS)?.response;
  return response && isStillTrue(response) ? response : undefined;
}

function createFingerprint(content: unknown): string {
  return `micropub ${jsonSha256(content)}`;
}
