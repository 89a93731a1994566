import { deleteRows, hasRow } from "../database/rows";
import { messages, seenActivities } from "../database/schema";
import { forbidden, malformed, unauthorized } from "../errors";
import { isHostBlocked } from "../komments/blocked-words-and-hosts";
import { deleteReaction, storeReaction } from "../komments/reactions";
import { deleteRemoteKomment, kommentWithOrigin } from "../komments/remote-komments";
import { storeRemoteMessage } from "../messages";
import { assertDiskSpace } from "../runtime/disk-space";
import { isObject } from "../text/json";
import { hasType, hostOfId, idOf, idsOf, type Json, parseDocument, textOf } from "./activity-streams";
import { actorId } from "./blog-actors";
import { acceptFollow, dropFollower } from "./followers-and-dead-inboxes";
import type { Inbox, Verified } from "./received-posts";
import { applyOnce, applyVisibly, limited, postOfId, receiveObject, replyTarget } from "./received-posts";
import { deletePerson, fetchActor, knownActor, type RemoteActor } from "./remote-actors";
import { fetchDocument, GONE, NOT_FOUND } from "./remote-documents";
import { isSignedBy, type ReadSignature, readSignature, type SignedRequest } from "./signatures";

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
  const isOwnDeletion = activity.type === "Delete" && idOf(activity.object) === sender;
  if (isOwnDeletion && !knownActor(platen, sender)) return;
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
      deleteRows(platen, messages, { blogId: actor.blogId, originUri: id, remoteActorId: remote.id });
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
