import { asPermittedToCreate, requireScope } from "../../access/permission";
import type { Caller } from "../../accounts/keys";
import { Refusal } from "../../errors";
import type { TextAnswer } from "../../http/answers/answer";
import type { Call } from "../../http/requests/call";
import type { StoredBlob } from "../../media/files/blobs";
import { mediaPath } from "../../media/media-urls";
import type { Platen } from "../../platen";
import type { Properties } from "../../posts/post/mf2-properties";
import { postAtAddress } from "../../posts/reading/post-at-url";
import { createPost } from "../../posts/writing/publishing";
import { meantBlog } from "../requests/destination";
import type { Asked } from "../requests/parsed-request";
import { mediaAddresses, withAddresses, withPhotoAlts } from "../requests/photo-values";
import type { Incoming } from "../requests/request-body";
import { changesOf, surroundingsOf } from "../translation/mf2-to-post";
import { placed } from "./created";
import { forgetUnused, gather, keepFiles } from "./fetched-media";
import { answeredBefore, onceAMinute } from "./repeated-creates";

/** Refused before anything is fetched or kept, wherever that can be known; then media first, and the post in one transaction. */
export async function create(
  call: Call,
  { caller, files }: Incoming,
  { properties, commands }: Extract<Asked, { action: "create" }>,
): Promise<TextAnswer> {
  const { platen } = call;
  requireScope(caller, "create", "draft");
  const blog = meantBlog(call, caller, commands);
  asPermittedToCreate(caller, changesOf(properties, commands, surroundingsOf(platen, blog)));
  const wish = [blog.id, properties, commands, files.map(({ sha256 }) => sha256)];
  const holds = (answer: TextAnswer) => isThere(platen, caller, answer.headers.get("location") as string);
  const before = answeredBefore(platen, caller, wish, holds);
  if (before) return before;

  const gathered = await gather(platen, caller, blog, mediaAddresses(properties));
  try {
    const uploads = await keepFiles(platen, blog, files, gathered);
    const given = withUploads(platen, properties, uploads);
    const whole = withAddresses(withPhotoAlts(given, commands["mp-photo-alt"]), gathered.addresses);
    return onceAMinute(platen, caller, wish, holds, () => {
      const draft = asPermittedToCreate(caller, changesOf(whole, commands, surroundingsOf(platen, blog)));
      const { post, warnings } = createPost(platen, blog, { ...draft, status: draft.status ?? "published" });
      return placed(platen, post, [...gathered.warnings, ...warnings]);
    });
  } finally {
    await forgetUnused(platen, gathered);
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

function isThere(platen: Platen, caller: Caller, url: string): boolean {
  try {
    return postAtAddress(platen, caller, url) !== undefined;
  } catch (fault) {
    if (fault instanceof Refusal) return false;
    throw fault;
  }
}
