import { blogUrl } from "../../blogs/permalinks";
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
import {
  changedFields,
  fieldsOf,
  type PostFields,
  type SentPost,
  serializeFields,
  versionOf,
} from "./post-form";

type Action = (platen: Platen, changes: PostChanges, before: Post | null) => PostChanges;

const ACTIONS: Record<string, Action> = {
  save: (_platen, changes) => changes,
  publish: (_platen, changes) => ({ ...changes, status: "published" }),
  "publish-now": (platen, changes) => ({ ...changes, status: "published", publishedAt: platen.now() }),
  schedule: (platen, changes, before) => {
    const at = changes.publishedAt === undefined ? before?.publishedAt : changes.publishedAt;
    // The post may have gone live since the form was opened.
    const isLive = before?.status === "published" && changes.publishedAt === undefined;
    if (!at || (at <= platen.now() && !isLive)) throw invalid({ publish_at: ["must be in the future"] });
    return { ...changes, status: "published" };
  },
  unpublish: (_platen, changes) => ({ ...changes, status: "draft" }),
  archive: (_platen, changes) => ({ ...changes, status: "archived" }),
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
export async function saveForm(
  visitor: BlogVisit,
  sent: SentPost,
): Promise<Pick<Saved, "post" | "warnings">> {
  const { call, blog } = visitor;
  const { platen } = call;
  const action = ACTIONS[Object.hasOwn(ACTIONS, sent.action) ? sent.action : "save"] as Action;
  const place = placeOf(visitor, sent);
  const savedBefore = () => {
    const savedAs = wantsJson(call.request) ? alreadySavedPost(platen, place, sent.stamps) : null;
    return savedAs === null ? null : { post: findPost(platen, visitor, savedAs, blog.id), warnings: [] };
  };
  const request = () => {
    const before = storedPost(visitor, sent.id);
    assertUpToDate(visitor, before, sent, [...sent.stamps, ...sent.seen]);
    const translationOf = parseTranslation(visitor, sent.fields, before);
    const changes = { ...changedFields(blog, sent.fields, before), translationOf };
    return { blog, before, changes: action(platen, changes, before) };
  };
  const saveOnce = (save: () => Saved) => {
    const saved = save();
    settleUnsaved(platen, place, sent.stamps, saved.post.id);
    return saved;
  };
  // Checked again in the transaction, because the first request may be saving meanwhile.
  return (
    savedBefore() ?? (await savePost(platen, visitor, request, (save) => savedBefore() ?? saveOnce(save)))
  );
}

function parseTranslation(
  visitor: BlogVisit,
  { translationOf: requested }: PostFields,
  before: WholePost | null,
): number | null | undefined {
  const { call, blog } = visitor;
  if (requested === (before ? fieldsOf(before).translationOf : "")) return undefined;
  if (requested === "") return null;
  const url = /^https?:/i.test(requested)
    ? requested
    : blogUrl(call.platen, blog) + requested.replace(/^\//, "");
  try {
    return postAtUrl(call.platen, visitor, url).id;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw invalid({ translation_of: ["must be the address of another of your posts"] });
  }
}

/** @throws SaveConflict */
export function assertNoConflict(visitor: BlogVisit, sent: SentPost): WholePost | null {
  const post = storedPost(visitor, sent.id);
  assertUpToDate(visitor, post, sent, sent.stamps);
  return post;
}

/** @param known ids of the autosave requests that the form replaces */
function assertUpToDate(visitor: BlogVisit, post: WholePost | null, sent: SentPost, known: string[]): void {
  const { platen } = visitor.call;
  const place = placeOf(visitor, sent);
  if (!knowsUnsavedAt(platen, place, known)) throw new SaveConflict(post, findUnsaved(platen, place));
  if (post && sent.version !== versionOf(post)) throw new SaveConflict(post, null);
}

export function storedPost(visitor: BlogVisit, id: number): WholePost;
export function storedPost(visitor: BlogVisit, id: number | null): WholePost | null;
export function storedPost(visitor: BlogVisit, id: number | null): WholePost | null {
  const { platen } = visitor.call;
  return id === null ? null : wholePost(platen, findPost(platen, visitor, id, visitor.blog.id));
}

/** @throws Refusal, SaveConflict */
export async function continueAsHtml(visitor: BlogVisit, sent: SentPost): Promise<void> {
  const content = await renderMarkdown(visitor, sent.fields.content);
  assertNoConflict(visitor, sent);
  replaceAutosaved(visitor, sent, { ...sent.fields, content, contentType: "html" });
}

/** @param known ids of the autosave requests that this text replaces */
export function replaceAutosaved(
  visitor: BlogVisit,
  sent: SentPost,
  fields: PostFields,
  known: string[] = [],
): void {
  const stamps = [newSecret(), ...sent.stamps, ...known];
  const text = { fields: serializeFields(fields), version: sent.version, stamps };
  if (storeUnsaved(visitor.call.platen, placeOf(visitor, sent), text) === null)
    throw conflict("This text was changed in another tab or on another device. Try again.");
}

export function placeOf({ account, blog }: BlogVisit, sent: Pick<SentPost, "id" | "newPost">): UnsavedPlace {
  return { accountId: account.id, blogId: blog.id, postKey: sent.id ?? sent.newPost };
}

export function duplicatePost(visitor: BlogVisit, id: number, sent: SentPost): Promise<Saved> {
  const { call, blog } = visitor;
  const { publishedAt: _, slug: __, ...changes } = changedFields(blog, sent.fields, null);
  const request = () => {
    const { properties } = findPost(call.platen, visitor, id, blog.id);
    return { blog, before: null, changes: { ...changes, properties } };
  };
  return savePost(call.platen, visitor, request, (save) => save());
}
