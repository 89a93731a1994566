import { eq } from "drizzle-orm";
import { keepDataVersion } from "../database/change-counter";
import { findRowBy } from "../database/prepared";
import { remoteActors } from "../database/schema";
import { cleanLine } from "../komments/komment-limits";
import type { Platen } from "../platen";
import type { BlogActor } from "./blog-actors";
import { hasType, hostOfId, idOf, idsOf, isObject, type Json, listOf, textOf } from "./json-values";
import { fetchDocument, type NotFetched } from "./remote-documents";
import { isUsableKey } from "./signatures";

export type RemoteActor = typeof remoteActors.$inferSelect;

const MAX_NAME_LENGTH = 100;
const MAX_HANDLE_LENGTH = 200;
const ACTOR_TYPES = ["Person", "Service", "Application", "Group", "Organization"];

const withUrl = findRowBy(remoteActors, ["url"]);

export function knownActor(platen: Platen, url: string): RemoteActor | undefined {
  return withUrl(platen, { url });
}

export function remoteActorById(platen: Platen, id: number): RemoteActor | undefined {
  return platen.db.select().from(remoteActors).where(eq(remoteActors.id, id)).get();
}

/** Fetches an actor's document and stores it. */
export async function fetchActor(
  platen: Platen,
  as: BlogActor,
  url: string,
): Promise<RemoteActor | NotFetched> {
  const document = await fetchDocument(platen, as, url);
  if ("failed" in document) return document as unknown as NotFetched;
  const values = await actorValues(document as Json);
  if (!values || values.url !== url)
    return { failed: `${url} is not an actor with a usable key`, status: null };
  const fetchedAt = platen.now();
  return keepDataVersion(platen, () =>
    platen.db
      .insert(remoteActors)
      .values({ ...values, fetchedAt })
      .onConflictDoUpdate({ target: remoteActors.url, set: { ...values, fetchedAt } })
      .returning()
      .get(),
  );
}

type ActorValues = Omit<RemoteActor, "id" | "fetchedAt">;

/** The stored values of an actor's document; null if it has no inbox or no key of its own. */
async function actorValues(document: Json): Promise<ActorValues | null> {
  const url = idOf(document);
  const host = hostOfId(url);
  const inbox = idOf(document.inbox);
  if (!url || !host || !hasType(document, ...ACTOR_TYPES) || hostOfId(inbox) === null) return null;
  const key = listOf(document.publicKey).find(
    (each): each is Json => isObject(each) && (each.owner === undefined || idOf(each.owner) === url),
  );
  const keyId = idOf(key);
  const publicPem = textOf(key?.publicKeyPem);
  if (!keyId || hostOfId(keyId) !== host || !(await isUsableKey(publicPem))) return null;
  const endpoints = isObject(document.endpoints) ? document.endpoints : {};
  const sharedInbox = idOf(endpoints.sharedInbox);
  const userName = cleanLine(textOf(document.preferredUsername)) || "unknown";
  const handle = `@${userName}@${host}`.slice(0, MAX_HANDLE_LENGTH);
  const profile = idOf(document.url);
  return {
    url,
    keyId,
    publicPem,
    inbox: inbox as string,
    // An inbox of another host would receive what was meant for this one.
    sharedInbox: hostOfId(sharedInbox) === host ? sharedInbox : null,
    handle,
    name: cleanLine(textOf(document.name)).slice(0, MAX_NAME_LENGTH) || userName,
    profileUrl: hostOfId(profile) === null ? url : (profile as string),
    alsoKnownAs: idsOf(document.alsoKnownAs).slice(0, 20),
  };
}

/** Where the blog's activities for this actor go. */
export function inboxOf({ sharedInbox, inbox }: RemoteActor): string {
  return sharedInbox ?? inbox;
}

/** Deletes an actor with all followers and reactions. Komments stay, without the actor. */
export function deleteActor(platen: Platen, { id }: RemoteActor): void {
  platen.db.delete(remoteActors).where(eq(remoteActors.id, id)).run();
}
