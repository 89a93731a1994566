import { blogUrl, postUrl } from "../blogs/blogs";
import { findRowByColumn } from "../database/rows";
import { komments } from "../database/schema";
import type { Event } from "../deliveries/channel";
import type { Komment } from "../komments/komment-rules-and-events";
import { mediaPath } from "../media/files/media-urls";
import type { Platen } from "../platen";
import { MAX_EXCERPT_LENGTH } from "../posts/content/plain-text-and-excerpts";
import { insertBaseUrl } from "../posts/post/mf2-properties";
import { altTextOf, contentWarning, isLive, languageOf, type Post } from "../posts/post/post";
import { livePost } from "../posts/reading/finding-posts";
import { feedPosts } from "../posts/reading/public-posts";
import { tagsWithSlugs } from "../posts/storage/categories-and-tags";
import { contentOf, postOfRow, postRow } from "../posts/storage/stored-posts";
import { html } from "../text/html";
import { withAbsoluteAddresses } from "../text/web-urls";
import { type Json, PUBLIC } from "./activity-streams";
import type { BlogActor } from "./blog-actors";
import { actorId, actorOfBlog, fediverseSettings, followersOf, objectId } from "./blog-actors";
import type { Known, Sendable } from "./edits-and-deletions";
import { createOf, currentGeneration, knownObject, nextActivity } from "./edits-and-deletions";
import { handlesIn, linkMentions, type Mention } from "./mentions";
import type { News } from "./queueing-activities";
import { inboxOf, type RemoteActor, remoteActorById } from "./remote-actors";

/** Mastodon shows at most four attachments. */
const MAX_ATTACHMENTS = 4;
/** Longer content is sent without `contentMap`, which repeats the content. */
const MAX_MAPPED_LENGTH = 100_000;

export function isFederated(post: Post, at: Date): boolean {
  const isListed = post.type === "post" && !post.hidden && !post.hideInRss;
  return isLive(post, at) && isListed && post.reach?.fediverse !== false;
}

function postObject(platen: Platen, actor: BlogActor, post: Post, generation: number, mentions: Mention[]) {
  const { blog, title, publishedAt, updatedAt } = post;
  const url = postUrl(platen, blog, post);
  const stored = insertBaseUrl(contentOf(platen, post.id).html, platen.config.url);
  const isArticle = title !== "" && !fediverseSettings(blog)?.wholeNotes;
  const heading = title !== "" && !isArticle ? html`<h2>${title}</h2>`.markup : "";
  const content = heading + linkMentions(withAbsoluteAddresses(stored, url), mentions);
  const published = (publishedAt as Date).toISOString();
  const warning = contentWarning(post);
  const id = actorId(actor);
  return {
    id: objectId(actor, "object", post.id, generation),
    type: isArticle ? "Article" : "Note",
    attributedTo: id,
    ...(isArticle && { name: title }),
    ...(warning && { summary: warning }),
    sensitive: warning !== "",
    url,
    content,
    ...(content.length <= MAX_MAPPED_LENGTH && { contentMap: { [languageOf(post, blog)]: content } }),
    published,
    ...(updatedAt > (publishedAt as Date) && { updated: updatedAt.toISOString() }),
    to: [PUBLIC],
    cc: [followersOf(actor), ...mentions.map(({ href }) => href)],
    ...(isArticle && { preview: previewNote(post, id, url, published) }),
    attachment: picturesOf(platen, post),
    tag: [
      ...hashtagsOf(platen, post),
      ...mentions.map(({ handle, href }) => ({ type: "Mention", href, name: handle })),
    ],
  };
}

/** For servers that do not support articles (FEP-b2b8). */
function previewNote(post: Post, attributedTo: string, url: string, published: string): Json {
  const isHidden = contentWarning(post) !== "";
  const text = isHidden ? "" : (post.summary ?? post.excerpt ?? "").slice(0, MAX_EXCERPT_LENGTH);
  const content = html`<p><strong>${post.title}</strong></p>${text && html`<p>${text}</p>`}<p><a href="${url}">${url}</a></p>`;
  return { type: "Note", attributedTo, content: content.markup, published };
}

function picturesOf(platen: Platen, post: Post): Json[] {
  return post.attachments
    .map(({ blob }) => blob)
    .filter(({ mediaType }) => mediaType === "image")
    .slice(0, MAX_ATTACHMENTS)
    .map((blob) => ({
      type: "Image",
      mediaType: blob.contentType,
      url: platen.config.url + mediaPath(blob),
      name: altTextOf(blob, post.altText),
      ...(blob.width && blob.height && { width: blob.width, height: blob.height }),
    }));
}

function hashtagsOf(platen: Platen, post: Post): Json[] {
  return tagsWithSlugs(platen, post.id).flatMap(({ name, slug }) => {
    const word = hashtag(name);
    return word ? [{ type: "Hashtag", name: word, href: `${blogUrl(platen, post.blog)}tag/${slug}` }] : [];
  });
}

function hashtag(name: string): string {
  const words = name.split(/[^\p{L}\p{M}\p{N}_]+/u).filter((word) => word !== "");
  const [first = "", ...rest] = words;
  if (first === "") return "";
  if (rest.length === 0) return `#${first}`;
  return `#${words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("")}`;
}

export function postSendable(platen: Platen, actor: BlogActor, postId: number): Sendable {
  const row = postRow(platen, postId);
  const post = row?.blogId === actor.blogId ? postOfRow(platen, row, actor.blog) : undefined;
  const isPublic = post !== undefined && isFederated(post, platen.now());
  return {
    subject: { blogId: actor.blogId, kind: "post", subjectId: postId },
    id: (generation) => objectId(actor, "object", postId, generation),
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

/** Call this in a transaction, after the change. */
export function postActivity(
  platen: Platen,
  actor: BlogActor,
  { postId, name }: Pick<Event, "postId" | "name">,
  mentions: Mention[],
): News | null {
  const sendable = postSendable(platen, actor, postId as number);
  const assumed = name === "post.published" ? undefined : ASSUMED_STATE;
  const known = knownObject(platen, sendable.subject) ?? assumed;
  const activity = nextActivity(platen, actor, sendable, known, mentions);
  const people = [...mentions, ...(known?.mentions ?? [])];
  return activity && { activity, inboxes: people.map(({ inbox }) => inbox) };
}

export function currentObjectId(platen: Platen, post: Post): string | null {
  const actor = actorOfBlog(platen, post.blog);
  if (!actor) return null;
  const sendable = postSendable(platen, actor, post.id);
  return sendable.object && sendable.id(currentGeneration(knownObject(platen, sendable.subject)));
}

const NEWEST = 20;

export function newestActivities(platen: Platen, actor: BlogActor): Json[] {
  return feedPosts(platen, actor.blog, { limit: NEWEST }).flatMap(({ id }) => {
    const sendable = postSendable(platen, actor, id);
    const known = knownObject(platen, sendable.subject);
    const object = sendable.object?.(currentGeneration(known), known?.mentions ?? []);
    return object ? [createOf(actor, object)] : [];
  });
}

const kommentWithId = findRowByColumn(komments, "id");

export function replySendable(platen: Platen, actor: BlogActor, kommentId: number): Sendable {
  const komment = kommentWithId(platen, kommentId);
  const found = komment?.blogId === actor.blogId ? komment : undefined;
  const writer = found?.remoteActorId ? remoteActorById(platen, found.remoteActorId) : undefined;
  const isShown = found?.status === "shown" && found.answerHtml !== null && livePost(platen, found.postId);
  return {
    subject: { blogId: actor.blogId, kind: "reply", subjectId: kommentId },
    id: (generation) => objectId(actor, "reply", kommentId, generation),
    object: found && writer && isShown ? (generation) => replyNote(actor, found, writer, generation) : null,
    isDeleted: !isShown,
  };
}

/** Unlisted: with PUBLIC in `cc`, everybody may read the note, but public timelines leave it out. */
function replyNote(actor: BlogActor, komment: Komment, writer: RemoteActor, generation: number): Json {
  const [, name = ""] = writer.handle.split("@");
  const mention = html`<p><a href="${writer.profileUrl}" class="u-url mention">@${name}</a></p>`.markup;
  return {
    id: objectId(actor, "reply", komment.id, generation),
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
  const activity = nextActivity(platen, actor, sendable, knownObject(platen, sendable.subject));
  const komment = kommentWithId(platen, kommentId);
  const writer = remoteActorById(platen, komment?.remoteActorId ?? writerId);
  return activity && { activity, inboxes: writer ? [inboxOf(writer)] : [] };
}
