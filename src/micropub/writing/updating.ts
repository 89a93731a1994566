import { requireChangePermitted } from "../../access/scope-checks";
import type { Caller } from "../../accounts/keys";
import type { Blog } from "../../blogs/blogs";
import { emptyResponse, type HttpResponse, jsonResponse } from "../../http/responses/response";
import type { Platen } from "../../platen";
import type { Properties } from "../../posts/post/mf2-properties";
import type { WholePost } from "../../posts/post/post";
import { postAtUrl } from "../../posts/reading/finding-posts";
import { wholePost } from "../../posts/storage/stored-posts";
import { savePost } from "../../posts/writing/saving";
import type { Action, Commands, Operations } from "../requests/parsed-request";
import { mediaAddresses, withAddresses, withPhotoAlts } from "../requests/photo-values";
import { changesOf, contextOf } from "../translation/mf2-to-post";
import { mf2Of } from "../translation/post-to-mf2";
import { propertiesAfter } from "../translation/property-operations";
import { createdAnswer } from "./created-answer";
import { deleteUnusedMedia, fetchMedia } from "./fetched-media";

/** Media first; then the post is read once more, which may have changed meanwhile, and changed in one transaction. */
export async function update(
  platen: Platen,
  caller: Caller,
  blog: Blog | undefined,
  { url, operations, commands }: Extract<Action, { action: "update" }>,
): Promise<HttpResponse> {
  const post = wholePost(platen, postAtUrl(platen, caller, url, blog?.id));
  translated(platen, caller, post, operations, commands);
  const { replace, add } = operations;
  const known = new Set(mediaAddresses(mf2Of(platen, post).properties));
  const wanted = [replace, add].flatMap(mediaAddresses).filter((address) => !known.has(address));
  const fetched = await fetchMedia(platen, caller, post.blog, wanted);
  try {
    const addressed = (named: Properties) =>
      withAddresses(withPhotoAlts(named, commands["mp-photo-alt"]), fetched.addresses);
    const whole = { ...operations, replace: addressed(replace), add: addressed(add) };
    const request = () => {
      const before = wholePost(platen, postAtUrl(platen, caller, url, blog?.id));
      return { blog: before.blog, before, changes: translated(platen, caller, before, whole, commands) };
    };
    return await savePost(platen, caller, request, (save) => {
      const saved = save();
      const warnings = [...fetched.warnings, ...saved.warnings];
      if (saved.post.slug !== post.slug) return createdAnswer(platen, saved.post, warnings);
      return warnings.length > 0 ? jsonResponse(200, { warnings }) : emptyResponse();
    });
  } finally {
    await deleteUnusedMedia(platen, fetched);
  }
}

/** @throws Refusal where the changes make no sense, or the key may not make them */
function translated(
  platen: Platen,
  caller: Caller,
  post: WholePost,
  operations: Operations,
  commands: Commands,
) {
  const { properties } = mf2Of(platen, post);
  const named = withoutUnchanged(propertiesAfter(properties, operations), properties);
  const changes = changesOf(named, commands, { ...contextOf(platen, post.blog), altText: post.altText });
  requireChangePermitted(caller, post, changes);
  return changes;
}

/** Not every post survives the way to properties and back: the first of its tags would become a missing category. */
function withoutUnchanged(named: Properties, present: Properties): Properties {
  const before = new Map(Object.entries(present));
  return Object.fromEntries(
    Object.entries(named).filter(([name, values]) => !Bun.deepEquals(values, before.get(name))),
  );
}
