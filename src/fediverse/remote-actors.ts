import { and, eq, inArray, sql } from "drizzle-orm";
import type { Blog } from "../blogs/blogs";
import { DAY } from "../config/units";
import { keepDataVersion } from "../database/change-counter";
import { deleteRows, findRow, findRowByColumn, prepareSql, upsertRow } from "../database/rows";
import { followers, IS_UNUSED_ACTOR, messages, reactions, remoteActors } from "../database/schema";
import { inTransaction } from "../database/transactions";
import { notFound } from "../errors";
import { cleanLine } from "../komments/reader-input";
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
  const actor = { ...values, fetchedAt: platen.now() };
  return keepDataVersion(platen, () => upsertRow(platen, remoteActors, actor, ["url"]));
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

/** @param blogs limits the deletion to these blogs; undefined: all blogs */
export function deletePerson(platen: Platen, { id }: RemoteActor, blogs?: Blog[]): void {
  const blogIds = blogs?.map((blog) => blog.id);
  inTransaction(platen, () => {
    deleteKommentsOfActor(platen, id, blogIds);
    for (const table of [followers, messages, reactions]) {
      const isTheirs = and(eq(table.remoteActorId, id), blogIds && inArray(table.blogId, blogIds));
      deleteRows(platen, table, isTheirs);
    }
    deleteRows(platen, remoteActors, and(eq(remoteActors.id, id), sql.raw(IS_UNUSED_ACTOR)));
  });
}

/** @param key row id, handle, or URL of the actor or profile */
export function requirePerson(platen: Platen, { id: blogId }: Blog, key: number | string): RemoteActor {
  const { id, handle, url, profileUrl } = remoteActors;
  const name = String(key).replace(/^@?/, "@");
  const isMatch =
    typeof key === "number"
      ? sql`${id} = ${key}`
      : sql`(${url} = ${key} OR ${profileUrl} = ${key} OR lower(${handle}) = lower(${name}))`;
  const uses = ["followers", "komments", "messages", "reactions"].map(
    (table) =>
      sql`EXISTS (SELECT 1 FROM ${sql.raw(table)} WHERE remote_actor_id = ${id} AND blog_id = ${blogId})`,
  );
  const found = findRow(platen, remoteActors, sql`${isMatch} AND (${sql.join(uses, sql` OR `)})`);
  if (!found) throw notFound("person");
  return found;
}

const RETENTION_MS = 7 * DAY;
const MAX_DELETED = 500;

/** The returned function returns true if more rows may be left. */
function deleteOld(table: string, condition: string): (platen: Platen) => boolean {
  const old = `SELECT id FROM ${table} WHERE ${condition} LIMIT ${MAX_DELETED}`;
  const query = prepareSql<void, [number]>(`DELETE FROM ${table} WHERE id IN (${old})`);
  return (platen) => {
    const before = platen.now().getTime() - RETENTION_MS;
    return keepDataVersion(platen, () => query(platen).run(before).changes) >= MAX_DELETED;
  };
}

export const deleteOldActivities = deleteOld("seen_activities", "at < ?");
export const deleteUnusedActors = deleteOld("remote_actors", `fetched_at < ? AND ${IS_UNUSED_ACTOR}`);
