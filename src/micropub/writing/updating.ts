import { requireChangePermitted } from "../../access/scopes";
import type { Caller } from "../../accounts/keys";
import type { Blog } from "../../blogs/blogs";
import { emptyResponse, type HttpResponse, jsonResponse } from "../../http/responses/response";
import type { Platen } from "../../platen";
import { type Properties, urlOfValue } from "../../posts/post/mf2-properties";
import type { WholePost } from "../../posts/post/post";
import { postAtUrl } from "../../posts/reading/finding-posts";
import { wholePost } from "../../posts/storage/stored-posts";
import { savePost } from "../../posts/writing/saving";
import { mediaAddresses, withAddresses, withPhotoAlts } from "../requests/media-properties";
import type { Action, Commands, Operations } from "../requests/parsed-request";
import { postChangesFromMf2, translationContext } from "../translation/mf2-to-post";
import { postToMf2 } from "../translation/post-to-mf2";
import { createdResponse } from "./creating";
import { deleteUnusedMedia, fetchMedia } from "./fetched-media";

/** Fetches media first, then reads the post again and changes it in one transaction. */
export async function updatePost(
  platen: Platen,
  caller: Caller,
  blog: Blog | undefined,
  { url, operations, commands }: Extract<Action, { action: "update" }>,
): Promise<HttpResponse> {
  const post = wholePost(platen, postAtUrl(platen, caller, url, blog?.id));
  translateUpdate(platen, caller, post, operations, commands);
  const { replace, add } = operations;
  const known = new Set(mediaAddresses(postToMf2(platen, post).properties));
  const wanted = [replace, add].flatMap(mediaAddresses).filter((address) => !known.has(address));
  const fetched = await fetchMedia(platen, caller, post.blog, wanted);
  try {
    const addressed = (named: Properties) =>
      withAddresses(withPhotoAlts(named, commands["mp-photo-alt"]), fetched.addresses);
    const whole = { ...operations, replace: addressed(replace), add: addressed(add) };
    const request = () => {
      const before = wholePost(platen, postAtUrl(platen, caller, url, blog?.id));
      return { blog: before.blog, before, changes: translateUpdate(platen, caller, before, whole, commands) };
    };
    return await savePost(platen, caller, request, (save) => {
      const saved = save();
      const warnings = [...fetched.warnings, ...saved.warnings];
      if (saved.post.slug !== post.slug) return createdResponse(platen, saved.post, warnings);
      return warnings.length > 0 ? jsonResponse(200, { warnings }) : emptyResponse();
    });
  } finally {
    await deleteUnusedMedia(platen, fetched);
  }
}

/** @throws Refusal if the changes are invalid or the key may not make them */
function translateUpdate(
  platen: Platen,
  caller: Caller,
  post: WholePost,
  operations: Operations,
  commands: Commands,
) {
  const { properties } = postToMf2(platen, post);
  const named = withoutUnchanged(applyOperations(properties, operations), properties);
  const changes = postChangesFromMf2(named, commands, {
    ...translationContext(platen, post.blog),
    altText: post.altText,
  });
  requireChangePermitted(caller, post, changes);
  return changes;
}

/** Not every post survives the round trip: the first tag would become a missing category. */
function withoutUnchanged(named: Properties, present: Properties): Properties {
  const before = new Map(Object.entries(present));
  return Object.fromEntries(
    Object.entries(named).filter(([name, values]) => !Bun.deepEquals(values, before.get(name))),
  );
}

/**
 * @returns the properties named in the update with their new values; an empty list deletes one
 * @param current all properties of the post (q=source)
 */
function applyOperations(current: Properties, { replace, add, remove, removeAll }: Operations): Properties {
  const after = new Map<string, unknown[]>(Object.entries(replace));
  const valuesOf = (name: string) =>
    after.get(name) ?? (Object.hasOwn(current, name) ? (current[name] as unknown[]) : []);
  for (const [name, values] of Object.entries(add)) {
    const had = valuesOf(name);
    after.set(name, [...had, ...values.filter((value) => !had.some((other) => isSameValue(value, other)))]);
  }
  for (const [name, values] of Object.entries(remove))
    after.set(
      name,
      valuesOf(name).filter((had) => !values.some((value) => isSameValue(value, had))),
    );
  for (const name of removeAll) after.set(name, []);
  return Object.fromEntries(after);
}

/** A photo with an alt text also matches its URL. */
function isSameValue(named: unknown, value: unknown): boolean {
  if (Bun.deepEquals(named, value)) return true;
  return typeof named === "string" && typeof value === "object" && urlOfValue(value) === named;
}
