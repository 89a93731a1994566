import type { Blog } from "../../blogs/blogs";
import { invalid } from "../../errors";
import { attachmentSnippet } from "../../media/attachment-element";
import { makeRenditionsLater } from "../../media/images/renditions";
import { discardUpload, storeUpload } from "../../media/uploads";
import type { Platen } from "../../platen";
import { wholePost } from "../../posts/parts/whole-post";
import type { Post, WholePost } from "../../posts/post/post";
import { postOf } from "../../posts/reading/post-by-id";
import type { PostChanges } from "../../posts/writing/post-changes";
import { createPost, type Saved, updatePost } from "../../posts/writing/publishing";
import { withRendering } from "../../posts/writing/rendered-content";
import type { BlogVisit } from "../layout/visit";
import { versionOf } from "./form-version";
import { changesIn, type SentPost } from "./sent-post";

/** What a button of the form does besides saving what stands in it. */
type Action = (platen: Platen, changes: PostChanges, before: Post | null) => PostChanges;

/** By the button's value. */
export const ACTIONS: Record<string, Action> = {
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

/** The post has been changed by somebody else since the form was loaded. */
export class Overtaken extends Error {
  constructor(readonly post: WholePost) {
    super("Somebody else has saved this meanwhile.");
  }
}

/**
 * Saves what was sent, by the nouns that the API calls too.
 * @param id of the post; null for a new one
 * @throws Refusal: invalid naming fields, missing, forbidden, busy; Overtaken
 */
export function savePost(visitor: BlogVisit, id: number | null, sent: SentPost): Promise<Saved> {
  const { platen } = visitor.call;
  const { blog } = visitor;
  const action = ACTIONS[sent.action] ?? (ACTIONS.save as Action);
  return withRendering(platen, visitor, (rendered) => {
    if (id === null)
      return createPost(platen, blog, action(platen, changesIn(blog, sent.fields, null), null), rendered);
    const post = wholePost(platen, postOf(platen, visitor, id, blog.id));
    if (sent.version !== versionOf(post)) throw new Overtaken(post);
    return updatePost(platen, post, action(platen, changesIn(blog, sent.fields, post), post), rendered);
  });
}

/** A new draft with all that stands in the form but the time and the address; the post itself stays as it is. @throws Refusal as above */
export function duplicatePost(visitor: BlogVisit, id: number, sent: SentPost): Promise<Saved> {
  const { call, blog } = visitor;
  const { publishedAt: _, slug: __, ...changes } = changesIn(blog, sent.fields, null);
  return withRendering(call.platen, visitor, (rendered) => {
    const { properties } = postOf(call.platen, visitor, id, blog.id);
    return createPost(call.platen, blog, { ...changes, properties }, rendered);
  });
}

/** Files that came with the form, at the end of its content. @throws Refusal (invalid) for one that is damaged */
export async function takeInFiles(platen: Platen, blog: Blog, sent: SentPost): Promise<SentPost> {
  let { content } = sent.fields;
  const files = [...sent.files];
  try {
    for (let file = files.shift(); file; file = files.shift()) {
      const blob = await storeUpload(platen, blog, file);
      makeRenditionsLater(platen, blob);
      content += `${content.trim() ? "\n\n" : ""}${attachmentSnippet(platen, blob)}`;
    }
  } finally {
    for (const file of files) await discardUpload(file);
  }
  return { ...sent, fields: { ...sent.fields, content }, files: [] };
}
