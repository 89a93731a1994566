import { actorId, type BlogActor } from "./blog-actors";
import type { Json } from "./json-values";

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
