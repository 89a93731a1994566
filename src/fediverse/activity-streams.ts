import { isObject } from "../text/json";
import { actorId, type BlogActor } from "./blog-actors";
import { idOf, idsOf, type Json, listOf } from "./json-values";

export const PUBLIC = "https://www.w3.org/ns/activitystreams#Public";

export const CONTEXT = [
  "https://www.w3.org/ns/activitystreams",
  "https://w3id.org/security/v1",
  {
    toot: "http://joinmastodon.org/ns#",
    schema: "http://schema.org#",
    discoverable: "toot:discoverable",
    indexable: "toot:indexable",
    featured: { "@id": "toot:featured", "@type": "@id" },
    manuallyApprovesFollowers: "as:manuallyApprovesFollowers",
    Hashtag: "as:Hashtag",
    sensitive: "as:sensitive",
    alsoKnownAs: { "@id": "as:alsoKnownAs", "@type": "@id" },
    movedTo: { "@id": "as:movedTo", "@type": "@id" },
    PropertyValue: "schema:PropertyValue",
    value: "schema:value",
  },
];

export function activityOf(actor: BlogActor, type: string, id: string, object: unknown, more: Json = {}) {
  return { "@context": CONTEXT, id, type, actor: actorId(actor), ...more, object };
}

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
