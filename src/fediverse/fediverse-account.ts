import { and, eq, ne } from "drizzle-orm";
import { blogAtUrl } from "../blogs/blog-addresses";
import { type Blog, blogOfRow, blogUrl, changeReach, recordSettingsChange } from "../blogs/blogs";
import { MINUTE, SECOND } from "../config/units";
import { deleteRows, insertIfNew, prepareSql, updateRows } from "../database/rows";
import { blogActors, CHANGED_PROFILES, followers, sentObjects } from "../database/schema";
import { inInvisibleTransaction, inTransaction } from "../database/transactions";
import { conflict, invalid } from "../errors";
import { guardedClient } from "../outgoing/guarded-client";
import type { Platen } from "../platen";
import { activityOf, hostOfId, idOf, idsOf, type Json, PUBLIC } from "./activity-streams";
import { updateOfActor } from "./actor-and-webfinger-documents";
import {
  type ActorRow,
  actorId,
  actorOfBlogId,
  type BlogActor,
  FEDIVERSE,
  type FediverseSettings,
  fediverseSettings,
  followersOf,
  reasonNotPublic,
  storedActor,
} from "./blog-actors";
import { QUIET_PERIOD_MS } from "./edits-and-deletions";
import { followerInboxes } from "./followers-and-dead-inboxes";
import { actorUrlOfHandle, handlesIn } from "./mentions";
import { sendToFollowers } from "./queueing-activities";
import { fetchDocument, sendSigned } from "./remote-documents";
import { type KeyPair, newKeyPair } from "./signatures";

export async function turnFediverseOn(platen: Platen, blog: Blog): Promise<void> {
  startFediverse(platen, blog, await newKeyPair());
}

/** Reuses an earlier actor if the actor's URL still leads to this blog. */
export function startFediverse(platen: Platen, blog: Blog, keys: KeyPair): void {
  if (fediverseSettings(blog)) return;
  const reason = reasonNotPublic(platen, blog);
  if (reason !== null) throw invalid({ fediverse: [`cannot be turned on. ${reason}`] });
  inTransaction(platen, () => {
    const current = blogOfRow(platen, { blogId: blog.id });
    const previousActor = storedActor(platen, blog.id);
    const previousBlog = previousActor && blogAtUrl(platen, new URL(previousActor.base))?.blog;
    // A new actor has a new id, so other servers do not carry followers over.
    if (previousActor && previousBlog?.id !== blog.id)
      for (const table of [blogActors, followers, sentObjects])
        deleteRows(platen, table, { blogId: blog.id });
    const base = blogUrl(platen, current);
    // Another blog may have had this address before.
    deleteRows(platen, blogActors, and(eq(blogActors.base, base), ne(blogActors.blogId, blog.id)));
    insertIfNew(platen, blogActors, { blogId: current.id, base, ...keys, createdAt: platen.now() });
    changeReach(platen, blog.id, { [FEDIVERSE]: {} });
    recordSettingsChange(platen, current, "fediverse on");
  });
}

/** Keys and followers stay, for turning the fediverse on again. */
export function turnFediverseOff(platen: Platen, blog: Blog): void {
  if (!fediverseSettings(blog)) return;
  inTransaction(platen, () => {
    changeReach(platen, blog.id, { [FEDIVERSE]: undefined });
    recordSettingsChange(platen, blog, "fediverse off");
  });
}

export function changeFediverseSettings(
  platen: Platen,
  { id }: Pick<Blog, "id">,
  changes: FediverseSettings,
): void {
  inTransaction(platen, () => {
    const settings = fediverseSettings(blogOfRow(platen, { blogId: id }));
    if (!settings) throw conflict("Turn the fediverse on first.");
    changeReach(platen, id, { [FEDIVERSE]: { ...settings, ...changes } });
  });
}

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
    const keyNumber = (storedActor(platen, actor.blogId)?.keyNumber ?? 0) + 1;
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
      const actor = actorOfBlogId(platen, blogId);
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

const STARTS_PER_SECOND = 4;
const TIME_LIMIT_MS = 10 * MINUTE;

/**
 * Tries each inbox once, because the key is deleted with the blog. Stops after TIME_LIMIT_MS, even if inboxes
 * are left.
 */
export async function announceRemoval(
  platen: Platen,
  { id }: Pick<Blog, "id">,
  onStep: (done: number, total: number) => void = () => {},
): Promise<void> {
  const actor = actorOfBlogId(platen, id);
  if (!actor) return;
  const inboxes = followerInboxes(platen, id);
  const ownId = actorId(actor);
  const activity = activityOf(actor, "Delete", `${ownId}#delete`, ownId, { to: [PUBLIC] });
  const sending = { method: "POST" as const, body: JSON.stringify(activity) };
  const client = guardedClient(platen.config);
  const end = performance.now() + TIME_LIMIT_MS;
  const open: Promise<unknown>[] = [];
  for (const [index, url] of inboxes.entries()) {
    if (performance.now() > end) break;
    open.push(
      sendSigned(platen, actor, { ...sending, url }, client).then((response) => {
        if ("statusCode" in response) response.close();
      }),
    );
    onStep(index + 1, inboxes.length);
    if (index + 1 < inboxes.length) await Bun.sleep(SECOND / STARTS_PER_SECOND);
  }
  await Promise.all(open);
}
