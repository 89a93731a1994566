import { blogOfRow } from "../blogs/blogs";
import { prepareSql } from "../database/prepared";
import { updateRows } from "../database/rows";
import { blogActors, CHANGED_PROFILES } from "../database/schema";
import { inInvisibleTransaction, inTransaction } from "../database/transactions";
import { invalid } from "../errors";
import type { Platen } from "../platen";
import { activityOf, hostOfId, idOf, idsOf, type Json, PUBLIC } from "./activity-streams";
import { actorObject } from "./actor-documents";
import { type ActorRow, actorId, actorOfBlog, type BlogActor, followersOf, storedActor } from "./blog-actors";
import { QUIET_PERIOD_MS } from "./edits-and-deletions";
import { actorUrlOfHandle, handlesIn } from "./mentions";
import { sendToFollowers } from "./queueing-activities";
import { fetchDocument } from "./remote-documents";
import { newKeyPair } from "./signatures";

const MAX_ALIASES = 10;

/** @param typed handles, account URLs or profile pages, separated by white space */
export async function setAliases(platen: Platen, actor: BlogActor, typed: string): Promise<void> {
  const lines = [...new Set(typed.split(/\s+/).filter((line) => line !== ""))];
  if (lines.length > MAX_ALIASES)
    throw invalid({ also_known_as: [`cannot be added: the limit is ${MAX_ALIASES}`] });
  const find = async (line: string) =>
    actor.alsoKnownAs.includes(line) ? line : idOf(await findAccount(platen, actor, line, "also_known_as"));
  const found = await Promise.all(lines.map(find));
  const alsoKnownAs = [...new Set(found.filter((id) => id !== null))];
  inTransaction(platen, () => changeActor(platen, actor, { alsoKnownAs }));
}

async function findAccount(platen: Platen, actor: BlogActor, typed: string, field: string): Promise<Json> {
  const refusal = (problem: string) =>
    invalid({ [field]: [`could not be found: ${problem}. Enter an account like @ada@social.example`] });
  const [handle] = handlesIn(typed);
  const address = handle === typed.toLowerCase() ? await actorUrlOfHandle(platen, actor, handle) : typed;
  if (address === null) throw refusal(`its server does not know ${typed}`);
  if (hostOfId(address) === null) throw refusal(`"${typed}" is neither a handle nor a web address`);
  const fetched = await fetchDocument(platen, actor, address);
  if (!fetched.document) throw refusal(fetched.failed);
  if (!idOf(fetched.document.inbox)) throw refusal(`${address} is not an account`);
  return fetched.document;
}

/**
 * @param target handle, URL or profile page of an account that names this blog as its alias; "" ends an
 * earlier move
 */
export async function moveFollowers(platen: Platen, actor: BlogActor, target: string): Promise<void> {
  const address = target.trim();
  if (address === "" && actor.movedTo)
    return inTransaction(platen, () => changeActor(platen, actor, { movedTo: null }));
  const document = await findAccount(platen, actor, address, "moved_to");
  const url = idOf(document);
  if (!idsOf(document.alsoKnownAs).includes(actorId(actor)))
    throw invalid({ moved_to: ["does not name this blog as its alias yet"] });
  inTransaction(platen, () => {
    changeActor(platen, actor, { movedTo: url });
    const id = `${actorId(actor)}#moves/${crypto.randomUUID()}`;
    const move = activityOf(actor, "Move", id, actorId(actor), { target: url, to: [followersOf(actor)] });
    sendToFollowers(platen, actor, move);
  });
}

export async function rotateKey(platen: Platen, actor: BlogActor): Promise<void> {
  const keys = await newKeyPair();
  inTransaction(platen, () => {
    const keyNumber = (storedActor(platen, actor.blog)?.keyNumber ?? 0) + 1;
    changeActor(platen, actor, { ...keys, keyNumber });
  });
}

/**
 * Sends a profile once the blog has not changed for QUIET_PERIOD_MS, so that a series of changes is sent
 * once.
 */
export function sendChangedProfiles(platen: Platen): void {
  const at = platen.now();
  for (const { blogId } of changedProfiles(platen).all(at.getTime() - QUIET_PERIOD_MS))
    inInvisibleTransaction(platen, () => {
      const actor = actorOfBlog(platen, blogOfRow(platen, { blogId }));
      if (actor) changeActor(platen, actor, { profileSentAt: at });
    });
}

const changedProfiles = prepareSql<{ blogId: number }, [number]>(
  `SELECT blog_id AS blogId ${CHANGED_PROFILES} AND blogs.updated_at <= ?`,
);

/** Followers get the changed profile. */
function changeActor(platen: Platen, actor: BlogActor, changes: Partial<ActorRow>): void {
  updateRows(platen, blogActors, { blogId: actor.blogId }, changes);
  sendToFollowers(platen, actor, updateOfActor(platen, { ...actor, ...changes }));
}

export function updateOfActor(platen: Platen, actor: BlogActor): Json {
  const id = `${actorId(actor)}#update/${crypto.randomUUID()}`;
  const to = { to: [PUBLIC], cc: [followersOf(actor)] };
  return activityOf(actor, "Update", id, actorObject(platen, actor), to);
}
