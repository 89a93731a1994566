import { findRowBy } from "../database/prepared";
import { posts } from "../database/schema";
import type { Platen } from "../platen";
import type { Post } from "../posts/post/post";
import { feedPosts } from "../posts/reading/public-posts";
import { postOfRow } from "../posts/storage/stored-posts";
import { actorOfBlog, type BlogActor, objectId } from "./blog-actors";
import type { Json } from "./json-values";
import { isFederated, postObject } from "./objects";
import {
  createOf,
  currentGeneration,
  type Known,
  knownObject,
  nextActivity,
  type Sendable,
} from "./sent-objects";

const postWithId = findRowBy(posts, ["id"]);

export function postSendable(platen: Platen, actor: BlogActor, postId: number): Sendable {
  const row = postWithId(platen, { id: postId });
  const post = row?.blogId === actor.blogId ? postOfRow(platen, row, actor.blog) : undefined;
  const isPublic = post !== undefined && isFederated(post, platen.now());
  return {
    subject: { blogId: actor.blogId, kind: "post", subjectId: postId },
    id: (generation) => objectId(actor, postId, generation),
    object: isPublic ? (generation) => postObject(platen, actor, post, generation) : null,
    isDeleted: !post || post.deletedAt !== null,
  };
}

/** Assumed state of a post that is older than the actor: followers may know it from the outbox. */
const FROM_BEFORE: Known = { generation: 1, state: "live", digest: "" };

/**
 * The activity that tells followers of a post's change. Call it in a transaction, after the change.
 * @param isNew whether it was published just now; a post from before the actor is updated, not created
 */
export function postActivity(platen: Platen, actor: BlogActor, postId: number, isNew: boolean): Json | null {
  const sendable = postSendable(platen, actor, postId);
  const known = knownObject(platen, sendable) ?? (isNew ? undefined : FROM_BEFORE);
  return nextActivity(platen, actor, sendable, known);
}

/** Id of a live post's object, for the link on its page; null if followers do not see it. */
export function currentObjectId(platen: Platen, post: Post): string | null {
  const actor = actorOfBlog(platen, post.blog);
  if (!actor || !isFederated(post, platen.now())) return null;
  return objectId(
    actor,
    post.id,
    currentGeneration(knownObject(platen, postSendable(platen, actor, post.id))),
  );
}

const NEWEST = 20;

/** The Create activities of the newest posts, for servers that look at the outbox. */
export function newestActivities(platen: Platen, actor: BlogActor): Json[] {
  return feedPosts(platen, actor.blog, { limit: NEWEST }).map((post) => {
    const known = knownObject(platen, postSendable(platen, actor, post.id));
    return createOf(actor, postObject(platen, actor, post, currentGeneration(known)));
  });
}
