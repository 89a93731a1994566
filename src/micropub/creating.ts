import type { Caller } from "../accounts/keys";
import { Refusal } from "../errors";
import type { Answer } from "../http/answers";
import { asPermittedToCreate, requireScope } from "../http/permission";
import { mediaPath } from "../media/addresses";
import type { StoredBlob } from "../media/blobs";
import type { Platen } from "../platen";
import { postAtAddress } from "../posts/at-address";
import type { Properties } from "../posts/properties";
import { createPost } from "../posts/publishing";
import { changesOf, surroundingsOf } from "./changes";
import { meantBlog } from "./destination";
import type { Asked } from "./entry";
import { forgetUnused, gather, keepFiles } from "./gathering";
import type { Incoming } from "./incoming";
import { mediaAddresses, withAddresses, withPhotoAlts } from "./media-values";
import { placed } from "./placed";
import { answeredBefore, onceAMinute } from "./repeats";

/** Refused before anything is fetched or kept, wherever that can be known; then media first, and the post in one transaction. */
export async function create(
  platen: Platen,
  request: Request,
  { caller, files }: Incoming,
  { properties, commands }: Extract<Asked, { action: "create" }>,
): Promise<Answer> {
  requireScope(caller, "create", "draft");
  const blog = meantBlog(platen, caller, request, commands);
  asPermittedToCreate(caller, changesOf(properties, commands, surroundingsOf(platen, blog)));
  const wish = [blog.id, properties, commands, files.map(({ sha256 }) => sha256)];
  const holds = (answer: Answer) => isThere(platen, caller, answer.headers.location as string);
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
