import { isObject } from "../text/json";
import { PUBLIC } from "./activity-streams";
import { actorId, type BlogActor } from "./blog-actors";
import { idOf, idsOf, type Json, listOf } from "./json-values";

/** Names of the public collection (ActivityPub 5.6). */
const EVERYBODY = [PUBLIC, "as:Public", "Public"];

export function isPublic({ to, cc }: Json): boolean {
  return [...idsOf(to), ...idsOf(cc)].some((id) => EVERYBODY.includes(id));
}

export function isAddressedTo(actor: BlogActor, { to, cc, bto, bcc, tag }: Json): boolean {
  const ownId = actorId(actor);
  const mentioned = listOf(tag).map((each) => (isObject(each) ? idOf(each.href) : null));
  return [...idsOf(to), ...idsOf(cc), ...idsOf(bto), ...idsOf(bcc), ...mentioned].includes(ownId);
}
