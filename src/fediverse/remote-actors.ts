import { and, eq, inArray, sql } from "drizzle-orm";
import { keepDataVersion } from "../database/change-counter";
import { findRowByColumn } from "../database/prepared";
import { deleteRows } from "../database/rows";
import { followers, IS_UNUSED_ACTOR, messages, reactions, remoteActors } from "../database/schema";
import { inTransaction } from "../database/transactions";
import { cleanLine } from "../komments/reader-input-check";
import { deleteKommentsOfActor } from "../komments/remote-komments";
import type { Platen } from "../platen";
import { isObject } from "../text/json";
import { hasType, hostOfId, idOf, idsOf, type Json, listOf, textOf, webUrlOf } from "./activity-streams";
import type { BlogActor } from "./blog-actors";
import { fetchDocument, GONE, NOT_FOUND } from "./remote-documents";
import { parsePublicKey } from "./signatures";

export type RemoteActor = typeof remoteActors.$inferSelect;

const MAX_NAME_LENGTH = 100;
const MAX_HANDLE_LENGTH = 200;
const ACTOR_TYPES = ["Person", "Service", "Application", "Group", "Organization"];

export const knownActor = findRowByColumn(remoteActors, "url");
export const remoteActorById = findRowByColumn(remoteActors, "id");

/**
 * On 410, deletes a known actor and everything they sent; on 404, only their follows.
 * @returns null if the URL leads to no actor with a usable key
 */
export async function fetchActor(platen: Platen, as: BlogActor, url: string, stop?: AbortSignal) {
  const fetched = await fetchDocument(platen, as, url, stop);
  if (!fetched.document) {
    const known = knownActor(platen, url);
    if (known && fetched.status === GONE) deletePerson(platen, known);
    if (known && fetched.status === NOT_FOUND) deleteRows(platen, followers, { remoteActorId: known.id });
    return null;
  }
  const values = actorValues(fetched.document);
  if (values?.url !== url) return null;
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

function actorValues(document: Json): ActorValues | null {
  const url = idOf(document);
  const host = hostOfId(url);
  const inbox = idOf(document.inbox);
  if (!url || !host || !hasType(document, ...ACTOR_TYPES) || hostOfId(inbox) === null) return null;
  const key = listOf(document.publicKey).find(
    (each): each is Json => isObject(each) && (each.owner === undefined || idOf(each.owner) === url),
  );
  const keyId = idOf(key);
  const publicPem = textOf(key?.publicKeyPem);
  if (!keyId || hostOfId(keyId) !== host || !parsePublicKey(publicPem)) return null;
  const endpoints = isObject(document.endpoints) ? document.endpoints : {};
  const sharedInbox = idOf(endpoints.sharedInbox);
  // Other characters could imitate another handle, or make a formula in a spreadsheet.
  const userName = textOf(document.preferredUsername).replace(/[^\p{L}\p{M}\p{N}_.-]/gu, "") || "unknown";
  const handle = `@${userName}@${host}`.slice(0, MAX_HANDLE_LENGTH);
  return {
    url,
    keyId,
    publicPem,
    inbox: inbox as string,
    // A shared inbox on another host would receive activities meant for this host.
    sharedInbox: hostOfId(sharedInbox) === host ? sharedInbox : null,
    handle,
    name: cleanLine(textOf(document.name)).slice(0, MAX_NAME_LENGTH) || userName,
    profileUrl: webUrlOf(document.url) ?? url,
    alsoKnownAs: idsOf(document.alsoKnownAs).slice(0, 20),
  };
}

export function inboxOf({ sharedInbox, inbox }: RemoteActor): string {
  return sharedInbox ?? inbox;
}

/** @param blogIds limits the deletion to these blogs; undefined: all blogs */
export function deletePerson(platen: Platen, { id }: RemoteActor, blogIds?: number[]): void {
  inTransaction(platen, () => {
    deleteKommentsOfActor(platen, id, blogIds);
    for (const table of [followers, messages, reactions]) {
      const isTheirs = and(eq(table.remoteActorId, id), blogIds && inArray(table.blogId, blogIds));
      deleteRows(platen, table, isTheirs);
    }
    deleteRows(platen, remoteActors, and(eq(remoteActors.id, id), sql.raw(IS_UNUSED_ACTOR)));
  });
}
