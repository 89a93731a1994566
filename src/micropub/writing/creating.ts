import { permittedDraft } from "../../access/scope-checks";
import type { Caller } from "../../accounts/keys";
import { Refusal } from "../../errors";
import type { Call } from "../../http/requests/call";
import type { TextResponse } from "../../http/responses/response";
import type { StoredBlob } from "../../media/files/blobs";
import { mediaPath } from "../../media/files/media-urls";
import type { Platen } from "../../platen";
import type { Properties } from "../../posts/post/mf2-properties";
import { postAtUrl } from "../../posts/reading/finding-posts";
import { checkChanges } from "../../posts/writing/post-changes";
import { savePost } from "../../posts/writing/saving";
import { targetBlogOf } from "../requests/destination";
import type { Action } from "../requests/parsed-request";
import { mediaAddresses, withAddresses, withPhotoAlts } from "../requests/photo-values";
import type { MicropubRequest } from "../requests/request-body";
import { changesOf, contextOf } from "../translation/mf2-to-post";
import { createdAnswer } from "./created-answer";
import { deleteUnusedMedia, fetchMedia, storeUploads } from "./fetched-media";
import { answeredBefore, nameOfCreate, oncePerMinute } from "./repeated-creates";

/** Refused before anything is fetched or kept, wherever that can be known; then media first, and the post in one transaction. */
export async function create(
  call: Call,
  { caller, files }: MicropubRequest,
  { properties, commands }: Extract<Action, { action: "create" }>,
): Promise<TextResponse> {
  const { platen } = call;
  const blog = targetBlogOf(call, caller, commands);
  checkChanges(permittedDraft(caller, changesOf(properties, commands, contextOf(platen, blog))));
  const name = nameOfCreate([blog.id, properties, commands, files.map(({ sha256 }) => sha256)]);
  const isStillTrue = (answer: TextResponse) =>
    isPostAt(platen, caller, answer.headers.get("location") as string);
  const before = answeredBefore(platen, caller, name, isStillTrue);
  if (before) return before;

  const fetched = await fetchMedia(platen, caller, blog, mediaAddresses(properties));
  try {
    const uploads = await storeUploads(platen, blog, files, fetched);
    const given = withUploads(platen, properties, uploads);
    const whole = withAddresses(withPhotoAlts(given, commands["mp-photo-alt"]), fetched.addresses);
    const request = () => {
      const draft = permittedDraft(caller, changesOf(whole, commands, contextOf(platen, blog)));
      return { blog, before: null, changes: { ...draft, status: draft.status ?? "published" } };
    };
    return await savePost(platen, caller, request, (save) =>
      oncePerMinute(platen, caller, name, isStillTrue, () => {
        const { post, warnings } = save();
        return createdAnswer(platen, post, [...fetched.warnings, ...warnings]);
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

function isPostAt(platen: Platen, caller: Caller, url: string): boolean {
  try {
    return postAtUrl(platen, caller, url) !== undefined;
  } catch (fault) {
    if (fault instanceof Refusal) return false;
    throw fault;
  }
}
