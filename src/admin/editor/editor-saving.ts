import { blogUrl } from "../../blogs/blogs";
import { conflict, invalid, Refusal } from "../../errors";
import { wantsJson } from "../../http/requests/headers";
import type { Platen } from "../../platen";
import type { Post, WholePost } from "../../posts/post/post";
import { findPost, postAtUrl } from "../../posts/reading/finding-posts";
import { wholePost } from "../../posts/storage/stored-posts";
import {
  alreadySavedPost,
  findUnsaved,
  knowsUnsavedAt,
  settleUnsaved,
  storeUnsaved,
  type UnsavedPlace,
  type UnsavedPost,
} from "../../posts/unsaved-posts";
import type { PostChanges } from "../../posts/writing/post-input";
import { renderMarkdown } from "../../posts/writing/preparing-content";
import { type Saved, savePost } from "../../posts/writing/saving";
import { newSecret } from "../../secrets";
import type { BlogVisit } from "../layout/visit";
import type { PostFields, SentPost } from "./post-form";
import { changedFields, fieldsOf, serializeFields, versionOf } from "./post-form";

type Action = (changes: PostChanges, platen: Platen, before: Post | null) => PostChanges;

const ACTIONS: Record<string, Action> = {
  save: (changes) => changes,
  publish: (changes) => ({ ...changes, status: "published" }),
  "publish-now": (changes, platen) => ({ ...changes, status: "published", publishedAt: platen.now() }),
  schedule: (changes, platen, before) => {
    const at = changes.publishedAt === undefined ? before?.publishedAt : changes.publishedAt;
    // The post may have gone live since the form was opened.
    const isLive = before?.status === "published" && changes.publishedAt === undefined;
    if (!at || (at <= platen.now() && !isLive)) throw invalid({ publish_at: ["must be in the future"] });
    return { ...changes, status: "published" };
  },
  unpublish: (changes) => ({ ...changes, status: "draft" }),
  archive: (changes) => ({ ...changes, status: "archived" }),
};

/** Another form changed the post or its unsaved text after this form was loaded. */
export class SaveConflict extends Error {
  constructor(
    readonly post: WholePost | null,
    /** The other form's autosaved text; null if that form was saved. */
    readonly unsaved: UnsavedPost | null,
  ) {
    super("A newer version was saved in the meantime.");
  }
}

/**
 * If a script repeats its request, returns the post that the first request saved.
 * @throws Refusal, SaveConflict
 */
export async function saveForm(visit: BlogVisit, sent: SentPost): Promise<Pick<Saved, "post" | "warnings">> {
  const { call, platen, blog } = visit;
  const action = ACTIONS[Object.hasOwn(ACTIONS, sent.action) ? sent.action : "save"] as Action;
  const place = placeOf(visit, sent);
  const savedBefore = () => {
    const savedAs = wantsJson(call.request) ? alreadySavedPost(platen, place, sent.stamps) : null;
    return savedAs === null ? null : { post: storedPost(visit, savedAs), warnings: [] };
  };
  const request = () => {
    const before = storedPost(visit, sent.id);
    assertUpToDate(visit, before, sent, [...sent.stamps, ...sent.seen]);
    const translationOf = parseTranslation(visit, sent.fields, before);
    const changes = { ...changedFields(blog, sent.fields, before), translationOf };
    return { blog, before, changes: action(changes, platen, before) };
  };
  const saveOnce = (save: () => Saved) => {
    const saved = save();
    settleUnsaved(platen, place, sent.stamps, saved.post.id);
    return saved;
  };
  // Checked again in the transaction, because the first request may be saving meanwhile.
  return savedBefore() ?? (await savePost(platen, visit, request, (save) => savedBefore() ?? saveOnce(save)));
}

function parseTranslation(
  visit: BlogVisit,
  { translationOf: requested }: PostFields,
  before: WholePost | null,
): number | null | undefined {
  const { platen, blog } = visit;
  if (requested === (before ? fieldsOf(before).translationOf : "")) return undefined;
  if (requested === "") return null;
  const isUrl = /^https?:/i.test(requested);
  const url = isUrl ? requested : blogUrl(platen, blog) + requested.replace(/^\//, "");
  try {
    return postAtUrl(platen, visit, url).id;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw invalid({ translation_of: ["must be the address of another of your posts"] });
  }
}

/** @throws SaveConflict */
export function assertNoConflict(visit: BlogVisit, sent: SentPost): WholePost | null {
  const post = storedPost(visit, sent.id);
  assertUpToDate(visit, post, sent, sent.stamps);
  return post;
}

/** @param known ids of the autosave requests that the form replaces */
function assertUpToDate(visit: BlogVisit, post: WholePost | null, sent: SentPost, known: string[]): void {
  const { platen } = visit;
  const place = placeOf(visit, sent);
  if (!knowsUnsavedAt(platen, place, known)) throw new SaveConflict(post, findUnsaved(platen, place));
  if (post && sent.version !== versionOf(post)) throw new SaveConflict(post, null);
}

export function storedPost(visit: BlogVisit, id: number): WholePost;
export function storedPost(visit: BlogVisit, id: number | null): WholePost | null;
export function storedPost(visit: BlogVisit, id: number | null): WholePost | null {
  const { platen } = visit;
  return id === null ? null : wholePost(platen, findPost(platen, visit, id, visit.blog.id));
}

/** @throws Refusal, SaveConflict */
export async function continueAsHtml(visit: BlogVisit, sent: SentPost): Promise<void> {
  const content = await renderMarkdown(visit, sent.fields.content);
  assertNoConflict(visit, sent);
  replaceAutosaved(visit, sent, { ...sent.fields, content, contentType: "html" });
}

/** @param known ids of the autosave requests that this text replaces */
export function replaceAutosaved(visit: BlogVisit, sent: SentPost, fields: PostFields, known: string[] = []) {
  const stamps = [newSecret(), ...sent.stamps, ...known];
  const text = { fields: serializeFields(fields), version: sent.version, stamps };
  if (storeUnsaved(visit.platen, placeOf(visit, sent), text) === null)
    throw conflict("This text was changed in another tab or on another device. Try again.");
}

export function placeOf({ account, blog }: BlogVisit, sent: Pick<SentPost, "id" | "newPost">): UnsavedPlace {
  return { accountId: account.id, blogId: blog.id, postKey: sent.id ?? sent.newPost };
}

export function duplicatePost(visit: BlogVisit, id: number, sent: SentPost): Promise<Saved> {
  const { platen, blog } = visit;
  const { publishedAt: _, slug: __, ...changes } = changedFields(blog, sent.fields, null);
  const request = () => {
    const { properties } = storedPost(visit, id);
    return { blog, before: null, changes: { ...changes, properties } };
  };
  return savePost(platen, visit, request, (save) => save());
}
