import { findRowByColumn } from "../database/prepared";
import { komments } from "../database/schema";
import type { Platen } from "../platen";
import { livePost } from "../posts/reading/finding-posts";
import { html } from "../text/html";
import { type Json, PUBLIC } from "./activity-streams";
import { actorId, type BlogActor, followersOf, replyId } from "./blog-actors";
import { knownObject, nextActivity, type Sendable } from "./edits-and-deletions";
import { inboxOf, type RemoteActor, remoteActorById } from "./remote-actors";

type Komment = typeof komments.$inferSelect;

const kommentWithId = findRowByColumn(komments, "id");

export function replySendable(platen: Platen, actor: BlogActor, kommentId: number): Sendable {
  const komment = kommentWithId(platen, kommentId);
  const found = komment?.blogId === actor.blogId ? komment : undefined;
  const writer = found?.remoteActorId ? remoteActorById(platen, found.remoteActorId) : undefined;
  const isShown = found?.status === "shown" && found.answerHtml !== null && livePost(platen, found.postId);
  return {
    subject: { blogId: actor.blogId, kind: "reply", subjectId: kommentId },
    id: (generation) => replyId(actor, kommentId, generation),
    object: found && writer && isShown ? (generation) => replyNote(actor, found, writer, generation) : null,
    isDeleted: !isShown,
  };
}

/** Unlisted: with PUBLIC in `cc`, everybody may read the note, but public timelines leave it out. */
function replyNote(actor: BlogActor, komment: Komment, writer: RemoteActor, generation: number): Json {
  const [, name = ""] = writer.handle.split("@");
  const mention = html`<p><a href="${writer.profileUrl}" class="u-url mention">@${name}</a></p>`.markup;
  return {
    id: replyId(actor, komment.id, generation),
    type: "Note",
    attributedTo: actorId(actor),
    inReplyTo: komment.originUri,
    content: mention + komment.answerHtml,
    published: (komment.answeredAt ?? komment.createdAt).toISOString(),
    to: [writer.url],
    cc: [PUBLIC, followersOf(actor)],
    tag: [{ type: "Mention", href: writer.url, name: writer.handle }],
  };
}

/** @param writerId id of the remote actor, for the case that the komment is deleted */
export function replyActivity(platen: Platen, actor: BlogActor, kommentId: number, writerId: number) {
  const sendable = replySendable(platen, actor, kommentId);
  const activity = nextActivity(platen, actor, sendable, knownObject(platen, sendable));
  const komment = kommentWithId(platen, kommentId);
  const writer = remoteActorById(platen, komment?.remoteActorId ?? writerId);
  return activity && { activity, inboxes: writer ? [inboxOf(writer)] : [] };
}
