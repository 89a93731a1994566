import { keepDataVersion } from "../database/change-counter";
import { findRow, hasRow } from "../database/rows";
import { komments, seenActivities } from "../database/schema";
import { inTransaction } from "../database/transactions";
import { forbidden, malformed, throttled, unauthorized } from "../errors";
import { isHostBlocked } from "../komments/moderation";
import { deleteReaction, storeReaction } from "../komments/reactions";
import {
  deleteRemoteKomment,
  kommentWithOrigin,
  renderRemoteHtml,
  storeRemoteKomment,
} from "../komments/remote-komments";
import { deleteRemoteMessage, storeRemoteMessage } from "../messages/receiving-messages";
import type { Platen } from "../platen";
import { plainText } from "../posts/content/plain-text-and-excerpts";
import type { Post } from "../posts/post/post";
import { livePost, postAtPage } from "../posts/reading/finding-posts";
import { assertDiskSpace } from "../runtime/disk-space";
import { isObject } from "../text/json";
import {
  hasType,
  hostOfId,
  idOf,
  idsOf,
  isAddressedTo,
  isPublic,
  type Json,
  parseDocument,
  textOf,
  webUrlOf,
} from "./activity-streams";
import { ACTOR_PATH, actorId, type BlogActor } from "./blog-actors";
import { acceptFollow, dropFollower } from "./followers";
import { isFederated } from "./post-objects";
import { deletePerson, fetchActor, knownActor, type RemoteActor } from "./remote-actors";
import { fetchDocument, GONE, NOT_FOUND } from "./remote-documents";
import { remoteHtml } from "./remote-html";
import { isSignedBy, type ReadSignature, readSignature, type SignedRequest } from "./signatures";

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

interface Inbox {
  platen: Platen;
  actor: BlogActor;
  limits: InboxLimits;
}

/** An activity signed by its actor, or with an object fetched from the actor's host. */
interface Verified extends Inbox {
  remote: RemoteActor;
  activity: Json;
}

/** Cheap checks come before expensive ones, because anybody can send activities. */
export async function receiveActivity(inbox: Inbox, request: SignedRequest): Promise<void> {
  const { platen, actor, limits } = inbox;
  const activity = parseDocument(new TextDecoder().decode(request.body));
  const [id, sender] = [idOf(activity), idOf(activity?.actor)];
  const host = hostOfId(sender);
  if (!activity || typeof activity.type !== "string" || !id || !sender || !host || hostOfId(id) !== host)
    throw malformed("The body must be an activity with type, id and actor, both on one host.");
  limits.activity(host);
  if (isHostBlocked(platen, actor.blog, host)) throw forbidden(`${host} is blocked.`);
  // Servers broadcast the deletion of an account after its key is gone, so no signature could be checked.
  if (isOwnDeletion(activity, sender) && !knownActor(platen, sender)) return;
  if (hasRow(platen, seenActivities, { blogId: actor.blogId, uri: id })) return;
  const signature = readSignature(request, platen.now());
  if ("rejected" in signature) throw unauthorized(`The signature is not valid: ${signature.rejected}.`);
  const remote = await signerOf(inbox, sender, signature);
  if (remote) {
    assertDiskSpace(platen);
    return await act({ ...inbox, remote, activity });
  }
  const isForwarded = hostOfId(signature.keyId) !== host;
  if (!isForwarded || !(await receiveForwarded(inbox, activity)))
    throw unauthorized("The signature is not that of the activity's actor.");
}

/**
 * Mastodon signs the replies of other people that it forwards. Because this does not prove who wrote them, the
 * object is fetched from the host of its id.
 */
async function receiveForwarded(inbox: Inbox, { type, object: claimed }: Json): Promise<boolean> {
  const { platen, actor, limits } = inbox;
  const id = idOf(claimed);
  const host = hostOfId(id);
  if (!id || !host) return false;
  const known = kommentWithOrigin(platen, actor.blogId, id);
  const isCreate = type === "Create";
  const isReply = (note: Json) => replyTarget(inbox, note) !== null;
  const isRelevant = isCreate
    ? !isObject(claimed) || isReply(claimed)
    : (type === "Update" || type === "Delete") && known;
  if (!isRelevant) return false;
  limits.newActor(host);
  const fetched = await limited(inbox, fetchDocument, id);
  const object = fetched.document;
  if (type === "Delete") {
    const isGone = object ? hasType(object, "Tombstone") : [NOT_FOUND, GONE].includes(fetched.status ?? 0);
    if (isGone) deleteRemoteKomment(platen, actor.blogId, id);
    return isGone;
  }
  if (!object || idOf(object) !== id || (isCreate && !isReply(object))) return false;
  const author = idOf(object.attributedTo);
  if (!author || hostOfId(author) !== host) return false;
  const remote = knownActor(platen, author) ?? (await limited(inbox, fetchActor, author));
  if (!remote) return false;
  assertDiskSpace(platen);
  // The claimed id could be the id of another activity, which would then be ignored as seen.
  const activity = { type, id: `${id}#${textOf(object.updated)}`, object };
  await receiveObject({ ...inbox, remote, activity });
  return true;
}

const MAX_WAITING = 64;
/** Otherwise, one sender could name slow servers and keep the activities of all others out. */
const MAX_WAITING_OF_SENDER = 16;
const waiting = new WeakMap<Platen, string[]>();

async function limited<Answer>(
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

function isOwnDeletion(activity: Json, sender: string): boolean {
  return activity.type === "Delete" && idOf(activity.object) === sender;
}

async function signerOf(inbox: Inbox, sender: string, signature: ReadSignature) {
  const { platen, limits } = inbox;
  const host = hostOfId(sender) as string;
  if (hostOfId(signature.keyId) !== host) return null;
  const known = knownActor(platen, sender);
  if (known && (await hasSigned(known, signature))) return known;
  if (known) limits.refetch(host);
  else limits.newActor(host);
  const fetched = await limited(inbox, fetchActor, sender);
  return fetched && (await hasSigned(fetched, signature)) ? fetched : null;
}

async function hasSigned(remote: RemoteActor, signature: ReadSignature): Promise<boolean> {
  return remote.keyId === signature.keyId && (await isSignedBy(signature, remote.publicPem));
}

/** For work that may change public pages. */
function applyVisibly({ platen, actor, activity }: Verified, work: () => void): void {
  inTransaction(platen, () => {
    const seen = { blogId: actor.blogId, uri: idOf(activity) as string, at: platen.now() };
    const added = platen.db.insert(seenActivities).values(seen).onConflictDoNothing().returning().all();
    if (added.length > 0) work();
  });
}

/** The response cache stays valid. */
function applyOnce(verified: Verified, work: () => void): void {
  keepDataVersion(verified.platen, () => applyVisibly(verified, work));
}

async function act(verified: Verified): Promise<void> {
  const { platen, actor, remote, activity } = verified;
  const { object } = activity;
  switch (activity.type) {
    case "Follow":
      if (idOf(object) === actorId(actor))
        applyOnce(verified, () => acceptFollow(platen, actor, remote, idOf(activity) as string));
      return;
    case "Undo":
      return undo(verified);
    case "Create":
    case "Update":
      return await receiveObject(verified);
    case "Like":
    case "EmojiReact":
    case "Announce":
      return react(verified, activity.type === "Announce" ? "boost" : "like");
    case "Delete":
      return remove(verified);
    case "Block":
      if (idOf(object) === actorId(actor)) applyOnce(verified, () => dropFollower(platen, actor, remote));
      return;
    case "Flag":
      return applyOnce(verified, () => reportFlag(verified));
  }
}

function undo(verified: Verified): void {
  const { platen, actor, remote, activity } = verified;
  const undone = isObject(activity.object) ? activity.object : {};
  const uri = idOf(activity.object);
  const apply = hasType(undone, "Follow") ? applyOnce : applyVisibly;
  apply(verified, () => {
    const isFollow = hasType(undone, "Follow") && idOf(undone.object) === actorId(actor);
    if (isFollow) dropFollower(platen, actor, remote);
    else if (uri) {
      // Some servers send only the id of what they undo.
      dropFollower(platen, actor, remote, { followId: uri });
      deleteReaction(platen, { uri, remoteActorId: remote.id });
    }
  });
}

const NOTES = ["Note", "Article", "Page", "Question"];

async function receiveObject(verified: Verified): Promise<void> {
  const { platen, actor, remote, activity } = verified;
  const object = await objectOf(verified);
  if (!object) return;
  const id = idOf(object) as string;
  if (id === remote.url) return void (await limited(verified, fetchActor, id));
  if (!hasType(object, ...NOTES)) return;
  const target = replyTarget(verified, object);
  const known = kommentWithOrigin(platen, actor.blogId, id);
  if (!isPublic(object)) return await receivePrivate(verified, object, target?.post ?? null);
  if (!target || (activity.type === "Update" && !known)) return;
  const content = remoteHtml(platen, actor, object);
  const rendered = await renderRemoteHtml(content, hostOfId(remote.url) as string);
  if (!rendered) return;
  const reply = {
    origin: "fediverse" as const,
    originUri: id,
    originUrl: webUrlOf(object.url) ?? id,
    name: remote.name,
    handle: remote.handle,
    url: remote.profileUrl,
    html: content,
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

function replyTarget({ platen, actor }: Inbox, note: Json) {
  const inReplyTo = idOf(note.inReplyTo);
  if (inReplyTo === null) return null;
  const post = postOfId(platen, actor, inReplyTo);
  if (post) return { post, parentId: null };
  const parent =
    kommentOfReply(platen, actor, inReplyTo) ?? kommentWithOrigin(platen, actor.blogId, inReplyTo);
  const parentPost = parent && livePost(platen, parent.postId);
  return parent && parentPost ? { post: parentPost, parentId: parent.id } : null;
}

function postOfId(platen: Platen, actor: BlogActor, id: string): Post | null {
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

function react(verified: Verified, kind: "like" | "boost"): void {
  const { platen, actor, remote, activity } = verified;
  const post = postOfId(platen, actor, idOf(activity.object) ?? "");
  if (!post) return;
  const reaction = {
    kind,
    uri: idOf(activity) as string,
    name: remote.name,
    url: remote.profileUrl,
    remoteActorId: remote.id,
  };
  applyVisibly(verified, () => storeReaction(platen, post, reaction));
}

function remove(verified: Verified): void {
  const { platen, actor, remote, activity } = verified;
  const id = idOf(activity.object);
  if (id === null || hostOfId(id) !== hostOfId(remote.url)) return;
  applyVisibly(verified, () => {
    if (id === remote.url) deletePerson(platen, remote);
    else if (kommentWithOrigin(platen, actor.blogId, id)?.remoteActorId === remote.id)
      deleteRemoteKomment(platen, actor.blogId, id);
    else {
      deleteRemoteMessage(platen, actor.blogId, id);
      deleteReaction(platen, { uri: id, remoteActorId: remote.id });
    }
  });
}

const MAX_FLAG_LENGTH = 2000;

function reportFlag({ platen, actor, remote, activity }: Verified): void {
  const text = [
    `A report from ${hostOfId(remote.url)} about this blog:`,
    textOf(activity.content).slice(0, MAX_FLAG_LENGTH),
    idsOf(activity.object).slice(0, 20).join("\n"),
  ];
  storeRemoteMessage(platen, actor.blog, null, {
    originUri: idOf(activity) as string,
    name: remote.handle,
    address: remote.profileUrl,
    text: text.filter((part) => part !== "").join("\n\n"),
    remoteActorId: remote.id,
  });
}
