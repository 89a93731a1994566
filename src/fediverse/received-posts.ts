import { blogUrl } from "../blogs/blogs";
import { keepDataVersion } from "../database/change-counter";
import { findRow, insertIfNew } from "../database/rows";
import { komments, seenActivities } from "../database/schema";
import { inTransaction } from "../database/transactions";
import { throttled } from "../errors";
import { kommentWithOrigin, renderRemoteHtml, storeRemoteKomment } from "../komments/remote-komments";
import { storeRemoteMessage } from "../messages";
import type { Platen } from "../platen";
import { plainText } from "../posts/content/plain-text-and-excerpts";
import type { Post } from "../posts/post/post";
import { livePost, postAtPage } from "../posts/reading/finding-posts";
import { html, raw } from "../text/html";
import { isObject } from "../text/json";
import {
  hasType,
  hostOfId,
  idOf,
  isAddressedTo,
  isPublic,
  type Json,
  listOf,
  textOf,
  webUrlOf,
} from "./activity-streams";
import { ACTOR_PATH, actorId, type BlogActor } from "./blog-actors";
import { isFederated } from "./post-and-reply-activities";
import { fetchActor, type RemoteActor } from "./remote-actors";
import { fetchDocument } from "./remote-documents";

/** Each function throws a Refusal (throttled) beyond its limit. */
export interface InboxLimits {
  /** Network of the sender; "" if unknown. */
  sender: string;
  activity(host: string): void;
  /** Counts fetches of unknown actors, and forwarded activities. */
  newActor(host: string): void;
  /** Counts known actors that are fetched again because a signature does not match. */
  refetch(host: string): void;
}

export interface Inbox {
  platen: Platen;
  actor: BlogActor;
  limits: InboxLimits;
}

/** An activity signed by its actor, or with an object fetched from the actor's host. */
export interface Verified extends Inbox {
  remote: RemoteActor;
  activity: Json;
}

const MAX_WAITING = 64;
/** Otherwise, one sender could name slow servers and keep the activities of all others out. */
const MAX_WAITING_OF_SENDER = 16;
const waiting = new WeakMap<Platen, string[]>();

export async function limited<Answer>(
  { platen, actor, limits: { sender } }: Inbox,
  fetch: (platen: Platen, actor: BlogActor, url: string) => Promise<Answer>,
  url: string,
): Promise<Answer> {
  const senders = waiting.getOrInsertComputed(platen, () => []);
  const ofSender = senders.filter((other) => other === sender).length;
  if (senders.length >= MAX_WAITING || ofSender >= MAX_WAITING_OF_SENDER)
    throw throttled("Too many servers are being asked. Try again later.", 60);
  senders.push(sender);
  try {
    return await fetch(platen, actor, url);
  } finally {
    senders.splice(senders.indexOf(sender), 1);
  }
}

/** For work that may change public pages. */
export function applyVisibly({ platen, actor, activity }: Verified, work: () => void): void {
  inTransaction(platen, () => {
    const seen = { blogId: actor.blogId, uri: idOf(activity) as string, at: platen.now() };
    if (insertIfNew(platen, seenActivities, seen)) work();
  });
}

/** The response cache stays valid. */
export function applyOnce(verified: Verified, work: () => void): void {
  keepDataVersion(verified.platen, () => applyVisibly(verified, work));
}

const NOTES = ["Note", "Article", "Page", "Question"];

export async function receiveObject(verified: Verified): Promise<void> {
  const { platen, actor, remote, activity } = verified;
  const object = await objectOf(verified);
  if (!object) return;
  const id = idOf(object) as string;
  if (id === remote.url) return void (await limited(verified, fetchActor, id));
  if (!hasType(object, ...NOTES)) return;
  const target = replyTarget(verified, object);
  const known = kommentWithOrigin(platen, actor.blogId, id);
  if (known && known.remoteActorId !== remote.id) return;
  if (!isPublic(object)) return await receivePrivate(verified, object, target?.post ?? null);
  if (!target || (activity.type === "Update" && !known)) return;
  const rendered = await renderRemoteHtml(remoteHtml(platen, actor, object), hostOfId(remote.url) as string);
  if (!rendered) return;
  const reply = {
    origin: "fediverse" as const,
    originUri: id,
    originUrl: webUrlOf(object.url) ?? id,
    name: remote.name,
    handle: remote.handle,
    url: remote.profileUrl,
    remoteActorId: remote.id,
    parentId: target.parentId,
  };
  applyVisibly(verified, () => storeRemoteKomment(platen, target.post, reply, rendered));
}

/** null unless the object is on the actor's host, and is the actor's own or the actor itself. */
async function objectOf(verified: Verified): Promise<Json | null> {
  const { remote, activity } = verified;
  const id = idOf(activity.object);
  if (!id || hostOfId(id) !== hostOfId(remote.url)) return null;
  const object = isObject(activity.object)
    ? activity.object
    : (await limited(verified, fetchDocument, id)).document;
  if (!object || idOf(object) !== id) return null;
  const isActor = id === remote.url;
  return isActor || idOf(object.attributedTo) === remote.url ? object : null;
}

export function replyTarget({ platen, actor }: Inbox, note: Json) {
  const inReplyTo = idOf(note.inReplyTo);
  if (inReplyTo === null) return null;
  const post = postOfId(platen, actor, inReplyTo);
  if (post) return { post, parentId: null };
  const parent =
    kommentOfReply(platen, actor, inReplyTo) ?? kommentWithOrigin(platen, actor.blogId, inReplyTo);
  const parentPost = parent && livePost(platen, parent.postId);
  return parent && parentPost ? { post: parentPost, parentId: parent.id } : null;
}

export function postOfId(platen: Platen, actor: BlogActor, id: string): Post | null {
  const number = numberAt(actor, "object", id);
  const url = number === null ? URL.parse(id) : null;
  const found = url ? postAtPage(platen, actor.blog, url) : livePost(platen, number ?? 0);
  return found?.blogId === actor.blogId && isFederated(found, platen.now()) ? found : null;
}

function kommentOfReply(platen: Platen, actor: BlogActor, id: string) {
  const number = numberAt(actor, "reply", id);
  return number === null ? undefined : findRow(platen, komments, { id: number, blogId: actor.blogId });
}

function numberAt({ base }: BlogActor, kind: "object" | "reply", id: string): number | null {
  const start = `${base}${ACTOR_PATH}${kind}/`;
  if (!id.startsWith(start)) return null;
  const [, number] = /^(\d{1,15})(?:[?#]|$)/.exec(id.slice(start.length)) ?? [];
  return number === undefined ? null : Number(number);
}

/** A private text becomes a message, because readers could see a komment. */
async function receivePrivate(verified: Verified, object: Json, post: Post | null): Promise<void> {
  const { platen, actor, remote } = verified;
  if (!post && !isAddressedTo(actor, object)) return;
  // Rendered first, because unclosed elements would keep `plainText` busy for minutes.
  const rendered = await renderRemoteHtml(remoteHtml(platen, actor, object), hostOfId(remote.url) as string);
  if (!rendered) return;
  const message = {
    originUri: idOf(object) as string,
    name: `${remote.name} (${remote.handle})`,
    address: remote.profileUrl,
    text: `Private, from the fediverse:\n\n${plainText(rendered.html).trim()}`,
    remoteActorId: remote.id,
  };
  applyOnce(verified, () => storeRemoteMessage(platen, actor.blog, post, message));
}

const MAX_ATTACHMENTS = 8;

/** The result is not sanitized. */
function remoteHtml(platen: Platen, actor: BlogActor, object: Json): string {
  const warning = textOf(object.summary).trim();
  const title = textOf(object.name).trim();
  const content = withoutOurMention(textOf(object.content), [actorId(actor), blogUrl(platen, actor.blog)]);
  const heading = title && html`<p><strong>${title}</strong></p>`.markup;
  const body = [heading, content, ...attachmentLinks(object)].join("");
  return warning === "" ? body : html`<details><summary>${warning}</summary>${raw(body)}</details>`.markup;
}

function withoutOurMention(content: string, ownUrls: string[]): string {
  const [mention, before = "", href = ""] =
    /^(\s{0,20}(?:<p>)?\s{0,20})(?:<span[^>]{0,200}>)?<a\s[^>]{0,500}?href="([^"]{1,2000})"[^>]{0,500}>@(?:<span>)?[^<]{0,200}(?:<\/span>)?<\/a>(?:<\/span>)?[\s,:]{0,20}/.exec(
      content,
    ) ?? [];
  const isOwnMention = ownUrls.some((url) => href === url || `${href}/` === url);
  return mention !== undefined && isOwnMention ? before + content.slice(mention.length) : content;
}

/** Pictures become links, so that readers' browsers send nothing to other servers. */
function attachmentLinks({ attachment }: Json): string[] {
  return listOf(attachment)
    .slice(0, MAX_ATTACHMENTS)
    .filter(isObject)
    .flatMap((file) => {
      const url = webUrlOf(file.url) ?? webUrlOf(file.href);
      if (url === null) return [];
      const kind = textOf(file.mediaType).startsWith("image/") || file.type === "Image" ? "Picture" : "File";
      const alt = textOf(file.name).trim();
      return [html`<p><a href="${url}">${kind}${alt && `: ${alt}`}</a></p>`.markup];
    });
}
