import type { Blog } from "../../blogs/blogs";
import { conflict, invalid } from "../../errors";
import { wantsJson } from "../../http/requests/headers";
import { attachmentSnippet } from "../../media/attachment-element";
import { makeThumbnailLater } from "../../media/images/renditions";
import { discardUpload, storeUpload } from "../../media/uploads";
import type { Platen } from "../../platen";
import type { Post, WholePost } from "../../posts/post/post";
import { findPost } from "../../posts/reading/finding-posts";
import { wholePost } from "../../posts/storage/stored-posts";
import {
  alreadySavedPost,
  findUnsaved,
  knowsStored,
  knowsUnsavedAt,
  settleUnsaved,
  storeUnsaved,
  type UnsavedPlace,
  type UnsavedPost,
} from "../../posts/unsaved/unsaved-posts";
import type { PostChanges } from "../../posts/writing/post-changes";
import { renderMarkdown } from "../../posts/writing/rendering-in-worker";
import { type Saved, savePost } from "../../posts/writing/saving";
import { newSecret } from "../../secrets";
import type { BlogVisit } from "../layout/visit";
import { compared, joined } from "./conflict/compare-forms";
import { fieldsKept, fieldsOf, keptFields, type PostFields, versionOf } from "./form/post-fields";
import { changesIn, type SentPost } from "./form/post-form";

/** What a button of the form does besides saving what stands in it. */
type Action = (platen: Platen, changes: PostChanges, before: Post | null) => PostChanges;

/** By the button's value. */
const ACTIONS: Record<string, Action> = {
  save: (_platen, changes) => changes,
  publish: (_platen, changes) => ({ ...changes, status: "published" }),
  "publish-now": (platen, changes) => ({ ...changes, status: "published", publishedAt: platen.now() }),
  schedule: (platen, changes, before) => {
    const at = changes.publishedAt === undefined ? before?.publishedAt : changes.publishedAt;
    if (!at || at <= platen.now()) throw invalid({ publish_at: ["must lie ahead"] });
    return { ...changes, status: "published" };
  },
  unpublish: (_platen, changes) => ({ ...changes, status: "draft" }),
  archive: (_platen, changes) => ({ ...changes, status: "archived" }),
};

/** The post, or what is not saved of it, has been changed by another form since this one was loaded. */
export class Overtaken extends Error {
  constructor(
    readonly post: WholePost | null,
    /** What the other form has not saved yet; null: it has saved. */
    readonly unsaved: UnsavedPost | null,
  ) {
    super("Somebody else has saved this meanwhile.");
  }
}

/**
 * Saves what was sent, by the nouns that the API calls too.
 * @param id of the post; null for a new one
 * @returns also the post of an earlier save, if the browser sends that again because its answer was lost
 * @throws Refusal: invalid naming fields, missing, forbidden, busy; Overtaken
 */
export async function saveForm(
  visitor: BlogVisit,
  id: number | null,
  sent: SentPost,
): Promise<Pick<Saved, "post" | "warnings">> {
  const { platen } = visitor.call;
  const { blog } = visitor;
  const action = ACTIONS[Object.hasOwn(ACTIONS, sent.action) ? sent.action : "save"] as Action;
  const place = placeOf(visitor, id, sent.newPost);
  const savedBefore = () => {
    const savedAs = wantsJson(visitor.call.request) ? alreadySavedPost(platen, place, sent.stamps) : null;
    return savedAs === null ? null : { post: findPost(platen, visitor, savedAs, blog.id), warnings: [] };
  };
  const request = () => {
    const before = id === null ? null : wholePost(platen, findPost(platen, visitor, id, blog.id));
    demandUpToDate(visitor, before, before && versionOf(before), sent, [...sent.stamps, ...sent.seen]);
    return { blog, before, changes: action(platen, changesIn(blog, sent.fields, before), before) };
  };
  const earlier = savedBefore();
  if (earlier) return earlier;
  return await savePost(platen, visitor, request, (save) => {
    const meanwhile = savedBefore();
    if (meanwhile) return meanwhile;
    const saved = save();
    settleUnsaved(platen, place, sent.stamps, saved.post.id);
    return saved;
  });
}

/** A new draft with all that stands in the form but the time and the address; the post itself stays as it is. @throws Refusal as above */
export function duplicatePost(visitor: BlogVisit, id: number, sent: SentPost): Promise<Saved> {
  const { call, blog } = visitor;
  const { publishedAt: _, slug: __, ...changes } = changesIn(blog, sent.fields, null);
  const request = () => {
    const { properties } = findPost(call.platen, visitor, id, blog.id);
    return { blog, before: null, changes: { ...changes, properties } };
  };
  return savePost(call.platen, visitor, request, (save) => save());
}

/**
 * @param known stamps of the unsaved texts that the form takes the place of
 * @returns the post as it is now, null for a new one
 * @throws Overtaken; Refusal: missing, forbidden
 */
export async function demandNotOvertaken(
  visitor: BlogVisit,
  id: number | null,
  sent: SentPost,
): Promise<WholePost | null> {
  const post = await presentPost(visitor, id);
  const version = post && versionOf(post);
  demandUpToDate(visitor, post, version, sent, sent.stamps);
  return post;
}

/** @param post as it is now @param version of it @throws Overtaken */
function demandUpToDate(
  visitor: BlogVisit,
  post: WholePost | null,
  version: string | null,
  sent: SentPost,
  known: string[],
): void {
  const { platen } = visitor.call;
  const place = placeOf(visitor, post?.id ?? null, sent.newPost);
  if (!knowsUnsavedAt(platen, place, known)) throw new Overtaken(post, findUnsaved(platen, place));
  if (version !== null && sent.version !== version) throw new Overtaken(post, null);
}

async function presentPost(visitor: BlogVisit, id: number | null): Promise<WholePost | null> {
  const { platen } = visitor.call;
  if (id === null) return null;
  return wholePost(platen, findPost(platen, visitor, id, visitor.blog.id));
}

/**
 * The Markdown of the form as HTML, for the rich editor: kept and not saved.
 * @throws Overtaken; Refusal: invalid (content), busy, missing, forbidden, full disk
 */
export async function continueAsHtml(visitor: BlogVisit, id: number | null, sent: SentPost): Promise<void> {
  const content = await renderMarkdown(visitor, sent.fields.content);
  await demandNotOvertaken(visitor, id, sent);
  keepInstead(visitor, id, sent, { ...sent.fields, content, contentType: "html" });
}

/**
 * Puts together what was chosen of both texts, and keeps it in the place of both unsaved ones.
 * @throws Overtaken where something else is to be chosen from by now; Refusal: missing, forbidden, full disk
 */
export async function joinTexts(visitor: BlogVisit, id: number | null, sent: SentPost): Promise<void> {
  const post = await presentPost(visitor, id);
  const unsaved = findUnsaved(visitor.call.platen, placeOf(visitor, id, sent.newPost));
  const other = knowsStored(sent.stamps, unsaved) ? null : unsaved;
  const theirs = (other ? fieldsKept(other.fields) : post && fieldsOf(post)) ?? sent.fields;
  const comparison = await compared(visitor, sent.fields, theirs);
  const { fields, isWhole } = joined(sent.fields, theirs, comparison, sent.choices);
  if (!isWhole) throw new Overtaken(post, other);
  // Where another text is not saved, what is saved is still to be compared.
  const version = other || !post ? sent.version : versionOf(post);
  keepInstead(visitor, id, { ...sent, version }, fields, other?.stamps.split(" "));
}

/** Keeps this in the place of what the form held. @param known stamps of what else it takes the place of */
function keepInstead(
  visitor: BlogVisit,
  id: number | null,
  { newPost, version, stamps }: SentPost,
  fields: PostFields,
  known: string[] = [],
): void {
  const { platen } = visitor.call;
  const place = placeOf(visitor, id, newPost);
  const text = {
    fields: JSON.stringify(keptFields(fields)),
    version,
    stamps: [newSecret(), ...stamps, ...known],
  };
  if (storeUnsaved(platen, place, text) === null)
    throw conflict("This was changed in another tab or on another device meanwhile. Do it once more.");
}

/** @param newPost what the form calls it where it has no id */
export function placeOf({ account, blog }: BlogVisit, id: number | null, newPost: string): UnsavedPlace {
  return { accountId: account.id, blogId: blog.id, of: id ?? newPost };
}

/** Files that came with the form, at the end of its content. @throws Refusal (invalid) for one that is damaged */
export async function takeInFiles(platen: Platen, blog: Blog, sent: SentPost): Promise<SentPost> {
  let { content } = sent.fields;
  const files = [...sent.files];
  try {
    for (let file = files.shift(); file; file = files.shift()) {
      const blob = await storeUpload(platen, blog, file);
      makeThumbnailLater(platen, blob);
      content += `${content.trim() ? "\n\n" : ""}${attachmentSnippet(platen, blob)}`;
    }
  } finally {
    for (const file of files) await discardUpload(file);
  }
  return { ...sent, fields: { ...sent.fields, content }, files: [] };
}
