import { findRowBy } from "../database/prepared";
import { sentObjects } from "../database/schema";
import type { Platen } from "../platen";
import type { BlogActor } from "./blog-actors";
import type { Json } from "./json-values";
import { activityOf, followersOf, PUBLIC } from "./objects";
import { sha256 } from "./signatures";

type SentObject = typeof sentObjects.$inferSelect;
type Subject = Pick<SentObject, "blogId" | "kind" | "subjectId">;
/** What followers know of an object. */
export type Known = Pick<SentObject, "generation" | "state" | "digest">;

/** Something that followers can see: a post, or the owner's reply to a komment. */
export interface Sendable {
  subject: Subject;
  /** @param generation number in the id; see `sentObjects` */
  id(generation: number): string;
  /** Its document; null if it is not public now. */
  object: ((generation: number) => Json) | null;
  /** Whether it is gone, or in the trash. */
  isDeleted: boolean;
}

const withSubject = findRowBy(sentObjects, ["blogId", "kind", "subjectId"]);

export function knownObject(platen: Platen, { subject }: Sendable): Known | undefined {
  return withSubject(platen, subject);
}

/**
 * Compares a thing with what followers know of it, and remembers what they will know. Call it in a transaction.
 * @param known what followers know; undefined if nothing
 * @returns Create, Update or Delete; null if they know everything
 */
export function nextActivity(
  platen: Platen,
  actor: BlogActor,
  sendable: Sendable,
  known: Known | undefined,
): Json | null {
  const { subject, object: write, isDeleted } = sendable;
  const wasLive = known?.state === "live";
  if (write) {
    const generation = currentGeneration(known);
    const object = write(generation);
    const digest = digestOf(object);
    if (wasLive && known.digest === digest) return null;
    remember(platen, subject, { generation, state: "live", digest });
    return wasLive ? updateOf(platen, actor, object) : createOf(actor, object);
  }
  const state = isDeleted ? "deleted" : "unpublished";
  if (known && known.state !== "deleted" && known.state !== state)
    remember(platen, subject, { generation: known.generation, state, digest: "" });
  return wasLive ? deleteOf(actor, sendable.id(known.generation)) : null;
}

export function createOf(actor: BlogActor, object: Json): Json {
  const { to, cc, published } = object;
  return activityOf(actor, "Create", `${object.id}#create`, object, { to, cc, published });
}

/** Servers ignore an Update whose object has no newer `updated`. */
function updateOf(platen: Platen, actor: BlogActor, object: Json): Json {
  const { to, cc } = object;
  const at = platen.now();
  const updated = at.toISOString();
  const id = `${object.id}#update/${at.getTime()}`;
  return activityOf(actor, "Update", id, { ...object, updated }, { to, cc, updated });
}

function deleteOf(actor: BlogActor, id: string): Json {
  const tombstone = { id, type: "Tombstone" };
  return activityOf(actor, "Delete", `${id}#delete`, tombstone, { to: [PUBLIC], cc: [followersOf(actor)] });
}

/** The number in the id under which the object is public, or will be when it is published again. */
export function currentGeneration(known: Known | undefined): number {
  if (!known) return 1;
  return known.state === "live" ? known.generation : known.generation + 1;
}

function remember(platen: Platen, subject: Subject, known: Known): void {
  const { blogId, kind, subjectId } = subject;
  const values = { ...known, changedAt: platen.now() };
  platen.db
    .insert(sentObjects)
    .values({ blogId, kind, subjectId, ...values })
    .onConflictDoUpdate({
      target: [sentObjects.blogId, sentObjects.kind, sentObjects.subjectId],
      set: values,
    })
    .run();
}

/** An edit that changes nothing that followers see is not sent. */
function digestOf({ updated: _updated, ...object }: Json): string {
  return sha256(JSON.stringify(object));
}

/** What an object's address answers: its document, a Tombstone, or nothing. */
export type ObjectAnswer = { object: Json } | { gone: Json } | null;

/** @param generation number in the address; 1 if there is none */
export function objectAnswer(platen: Platen, sendable: Sendable, generation: number): ObjectAnswer {
  const known = knownObject(platen, sendable);
  if (sendable.object && generation === currentGeneration(known))
    return { object: sendable.object(generation) };
  const wasPublic = known !== undefined && generation <= known.generation;
  const isReplaced = wasPublic && generation < known.generation;
  if (!isReplaced && !(wasPublic && sendable.isDeleted)) return null;
  return { gone: { id: sendable.id(generation), type: "Tombstone" } };
}
