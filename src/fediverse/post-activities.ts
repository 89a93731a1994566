import type { Platen } from "../platen";
import type { Post } from "../posts/post/post";
import { feedPosts } from "../posts/reading/public-posts";
import { contentOf, postOfRow, postRow } from "../posts/storage/stored-posts";
import type { Json } from "./activity-streams";
import { actorOfBlog, type BlogActor, objectId } from "./blog-actors";
import {
  createOf,
  currentGeneration,
  type Known,
  knownObject,
  nextActivity,
  type Sendable,
} from "./edits-and-deletions";
import { handlesIn, type Mention } from "./mentions";
import { isFederated, postObject } from "./post-objects";
import type { News } from "./queueing-activities";

export function postSendable(platen: Platen, actor: BlogActor, postId: number): Sendable {
  const row = postRow(platen, postId);
  const post = row?.blogId === actor.blogId ? postOfRow(platen, row, actor.blog) : undefined;
  const isPublic = post !== undefined && isFederated(post, platen.now());
  return {
    subject: { blogId: actor.blogId, kind: "post", subjectId: postId },
    id: (generation) => objectId(actor, postId, generation),
    object: isPublic ? (...known) => postObject(platen, actor, post, ...known) : null,
    isDeleted: !post || post.deletedAt !== null,
  };
}

export function mentionedHandles(platen: Platen, actor: BlogActor, postId: number): string[] {
  return postSendable(platen, actor, postId).object ? handlesIn(contentOf(platen, postId).text) : [];
}

/** For posts published before the fediverse was turned on. Followers may know such posts from the outbox. */
const ASSUMED_STATE: Known = {
  ...{ generation: 1, state: "live", digest: "" },
  ...{ mentions: [], updatesFrom: new Date(0) },
};

/**
 * Call this in a transaction, after the change.
 * @param isNew if false, followers are assumed to know a post without stored state (ASSUMED_STATE)
 */
export function postActivity(
  platen: Platen,
  actor: BlogActor,
  postId: number,
  isNew: boolean,
  mentions: Mention[],
): News | null {
  const sendable = postSendable(platen, actor, postId);
  const known = knownObject(platen, sendable) ?? (isNew ? undefined : ASSUMED_STATE);
  const activity = nextActivity(platen, actor, sendable, known, mentions);
  const people = [...mentions, ...(known?.mentions ?? [])];
  return activity && { activity, inboxes: people.map(({ inbox }) => inbox) };
}

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

export function newestActivities(platen: Platen, actor: BlogActor): Json[] {
  return feedPosts(platen, actor.blog, { limit: NEWEST })
    .filter((post) => isFederated(post, platen.now()))
    .map((post) => {
      const known = knownObject(platen, postSendable(platen, actor, post.id));
      const object = postObject(platen, actor, post, currentGeneration(known), known?.mentions ?? []);
      return createOf(actor, object);
    });
}
