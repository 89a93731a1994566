import { permittedChange, permittedDraft } from "../access/scopes";
import type { Caller } from "../accounts/api-keys";
import { findSavedResponse, saveResponse } from "../accounts/idempotent-responses";
import { type Blog, postUrl } from "../blogs/blogs";
import { Refusal } from "../errors";
import type { Call } from "../http/requests/call";
import type { HttpResponse, TextResponse } from "../http/responses/response";
import { emptyResponse, jsonResponse, jsonSha256 } from "../http/responses/response";
import type { StoredBlob } from "../media/files/blobs";
import { mediaPath } from "../media/files/media-urls";
import type { Platen } from "../platen";
import { type Properties, urlOfValue } from "../posts/post/mf2-properties";
import type { Post, WholePost } from "../posts/post/post";
import { postAtUrl } from "../posts/reading/finding-posts";
import { wholePost } from "../posts/storage/stored-posts";
import { checkChanges } from "../posts/writing/post-input";
import { savePost } from "../posts/writing/saving";
import {
  mediaAddresses,
  postChangesFromMf2,
  postToMf2,
  withAddresses,
  withPhotoAlts,
} from "./mf2-translation";
import { deleteUnusedMedia, type FetchedMedia, fetchMedia, storeUploads } from "./micropub-media";
import type { Action, Commands, Operations } from "./parsing-actions";
import { type MicropubRequest, targetBlogOf } from "./reading-requests";

/** Validates the post before fetching media, and fetches media before the transaction begins. */
export async function createPost(
  call: Call,
  { caller, files }: MicropubRequest,
  { properties, commands }: Extract<Action, { action: "create" }>,
): Promise<TextResponse> {
  const { platen } = call;
  const blog = targetBlogOf(call, caller, commands);
  const draftOf = (properties: Properties) =>
    permittedDraft(caller, postChangesFromMf2(platen, blog, { properties, commands }));
  checkChanges(draftOf(properties));
  const content = [blog.id, properties, commands, files.map(({ sha256 }) => sha256)];
  const name = `micropub ${jsonSha256(content)}`;
  const earlier = earlierResponse(platen, caller, name);
  if (earlier) return earlier;

  const fetched = await fetchMedia(platen, caller, blog, mediaAddresses(properties));
  try {
    const uploads = await storeUploads(platen, blog, files, fetched);
    const resolved = withStoredMedia(withUploads(platen, properties, uploads), commands, fetched);
    const request = () => {
      const draft = draftOf(resolved);
      return { blog, before: null, changes: { ...draft, status: draft.status ?? "published" } };
    };
    return await savePost(platen, caller, request, (save) => {
      const concurrent = earlierResponse(platen, caller, name);
      if (concurrent) return concurrent;
      const { post, warnings } = save();
      const response = createdResponse(platen, post, [...fetched.warnings, ...warnings]);
      saveResponse(platen, caller, name, { request: name, response });
      return response;
    });
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

function withStoredMedia(properties: Properties, commands: Commands, { addresses }: FetchedMedia) {
  return withAddresses(withPhotoAlts(properties, commands["mp-photo-alt"]), addresses);
}

/** The URL is also in the body, for apps that cannot read headers. */
export function createdResponse(platen: Platen, post: Post, warnings: string[]): TextResponse {
  const url = postUrl(platen, post.blog, post);
  const notes = warnings.length > 0 ? { warnings } : {};
  return jsonResponse(201, { url, ...notes }, { location: url });
}

/** Apps send a post again if they get no response. */
const REPEAT_WINDOW_MS = 60_000;

function earlierResponse(platen: Platen, caller: Caller, name: string): TextResponse | undefined {
  const response = findSavedResponse(platen, caller, name, REPEAT_WINDOW_MS)?.response;
  try {
    if (response) postAtUrl(platen, caller, response.headers.get("location") ?? "");
    return response;
  } catch (error) {
    // The post was deleted since.
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/** Reads the post again after fetching media, because the post may have changed since. */
export async function updatePost(
  platen: Platen,
  caller: Caller,
  blog: Blog | undefined,
  { url, operations, commands }: Extract<Action, { action: "update" }>,
): Promise<HttpResponse> {
  const post = wholePost(platen, postAtUrl(platen, caller, url, blog?.id));
  const changesOf = (before: WholePost, edits: Operations) => {
    const { properties } = postToMf2(platen, before);
    const named = withoutUnchanged(applyOperations(properties, edits), properties);
    const content = { properties: named, commands };
    return permittedChange(caller, before, postChangesFromMf2(platen, before.blog, content, before.altText));
  };
  // Rejects the update before media are fetched.
  changesOf(post, operations);
  const { replace, add } = operations;
  const known = new Set(mediaAddresses(postToMf2(platen, post).properties));
  const newUrls = [replace, add].flatMap(mediaAddresses).filter((address) => !known.has(address));
  const fetched = await fetchMedia(platen, caller, post.blog, newUrls);
  try {
    const edits = {
      ...operations,
      replace: withStoredMedia(replace, commands, fetched),
      add: withStoredMedia(add, commands, fetched),
    };
    const request = () => {
      const before = wholePost(platen, postAtUrl(platen, caller, url, blog?.id));
      return { blog: before.blog, before, changes: changesOf(before, edits) };
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

/** Translating an unchanged property could change the post: the first tag could become the category. */
function withoutUnchanged(updated: Properties, current: Properties): Properties {
  const before = new Map(Object.entries(current));
  const changed = Object.entries(updated).filter(
    ([name, values]) => !Bun.deepEquals(values, before.get(name)),
  );
  return Object.fromEntries(changed);
}

/**
 * @returns the properties named in the update with their new values; an empty list deletes a property
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
