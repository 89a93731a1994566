import { MINUTE } from "../config/units";
import { findRowBy, upsertRow } from "../database/rows";
import { sentObjects } from "../database/schema";
import type { Platen } from "../platen";
import { activityOf, type Json, PUBLIC } from "./activity-streams";
import { type BlogActor, followersOf } from "./blog-actors";
import type { Mention } from "./mentions";
import { sha256 } from "./signatures";

type SentObject = typeof sentObjects.$inferSelect;
type Subject = Pick<SentObject, "blogId" | "kind" | "subjectId">;
export type Known = Pick<SentObject, "generation" | "state" | "digest" | "mentions" | "updatesFrom">;

export interface Sendable {
  subject: Subject;
  id(generation: number): string;
  object: ((generation: number, mentions: Mention[]) => Json) | null;
  isDeleted: boolean;
}

/** Followers get at most one Update of a post or reply in this time. */
export const QUIET_PERIOD_MS = MINUTE;
/** Digest of a live object whose Update waits until `updatesFrom`. */
const IS_DUE = "";

export const knownObject = findRowBy(sentObjects, ["blogId", "kind", "subjectId"]);

/**
 * Also stores the new state. Call this in a transaction.
 * @param known the state that followers have received; undefined if none
 * @returns null if there is nothing to send now
 */
export function nextActivity(
  platen: Platen,
  actor: BlogActor,
  { subject, object: write, isDeleted, id }: Sendable,
  known: Known | undefined,
  mentions: Mention[] = [],
): Json | null {
  const wasLive = known?.state === "live";
  const at = platen.now();
  if (!write) {
    const state: SentObject["state"] = isDeleted ? "deleted" : "unpublished";
    if (known && known.state !== "deleted" && known.state !== state)
      remember(platen, subject, { ...known, state, digest: "" });
    return wasLive ? deleteOf(actor, id(known.generation), known.mentions) : null;
  }
  const generation = currentGeneration(known);
  const object = write(generation, mentions);
  // Without `updated`, so that an edit without a visible change is not sent.
  const digest = sha256(JSON.stringify({ ...object, updated: undefined }));
  if (wasLive && known.digest === digest) return null;
  const wait = wasLive ? known.updatesFrom.getTime() - at.getTime() : 0;
  const next = { generation, state: "live" as const, mentions, digest, updatesFrom: at };
  // A wait longer than QUIET_PERIOD_MS means that the clock was set back.
  if (wasLive && wait > 0 && wait <= QUIET_PERIOD_MS) {
    remember(platen, subject, { ...next, digest: IS_DUE, updatesFrom: known.updatesFrom });
    return null;
  }
  remember(platen, subject, {
    ...next,
    updatesFrom: wasLive ? new Date(at.getTime() + QUIET_PERIOD_MS) : at,
  });
  return wasLive ? updateOf(at, actor, object) : createOf(actor, object);
}

export function createOf(actor: BlogActor, object: Json): Json {
  const { to, cc, published } = object;
  return activityOf(actor, "Create", `${object.id}#create`, object, { to, cc, published });
}

/** Mastodon ignores an edit unless `updated` is newer than before. */
function updateOf(at: Date, actor: BlogActor, object: Json): Json {
  const { to, cc } = object;
  const updated = at.toISOString();
  const id = `${object.id}#update/${at.getTime()}`;
  return activityOf(actor, "Update", id, { ...object, updated }, { to, cc, updated });
}

function deleteOf(actor: BlogActor, id: string, mentions: Mention[]): Json {
  const tombstone = { id, type: "Tombstone" };
  const cc = [followersOf(actor), ...mentions.map(({ href }) => href)];
  return activityOf(actor, "Delete", `${id}#delete`, tombstone, { to: [PUBLIC], cc });
}

/** If the object is not public now, returns the generation of its next publication. */
export function currentGeneration(known: Known | undefined): number {
  if (!known) return 1;
  return known.state === "live" ? known.generation : known.generation + 1;
}

function remember(platen: Platen, subject: Subject, known: Known): void {
  const { generation, state, digest, mentions, updatesFrom } = known;
  const values = { ...subject, generation, state, digest, mentions, updatesFrom };
  upsertRow(platen, sentObjects, values, ["blogId", "kind", "subjectId"]);
}

type FoundObject = { object: Json } | { gone: Json } | null;

export function findObject(platen: Platen, sendable: Sendable, generation: number): FoundObject {
  const known = knownObject(platen, sendable.subject);
  if (sendable.object && generation === currentGeneration(known))
    return { object: sendable.object(generation, known?.mentions ?? []) };
  const wasPublic = known !== undefined && generation <= known.generation;
  const isReplaced = wasPublic && generation < known.generation;
  if (!isReplaced && !(wasPublic && sendable.isDeleted)) return null;
  return { gone: { id: sendable.id(generation), type: "Tombstone" } };
}
