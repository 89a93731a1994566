import { isObject, parseFlatObject } from "../text/json";
import { parseWebUrl } from "../text/web-urls";
import { actorId, type BlogActor } from "./blog-actors";

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

/** Read without JSON-LD processing, because servers use the same short names. */
export type Json = Record<string, unknown>;

/** Activities need about six levels. */
const MAX_DEPTH = 32;

/** null if the text is not an object, or is nested too deeply. */
export function parseDocument(text: string): Json | null {
  return parseFlatObject(text, MAX_DEPTH);
}

/** JSON-LD may write a single value without an array. */
export function listOf(value: unknown): unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

/** Accepts a string, an object with `id` or `href`, or a list of them, of which the first counts. */
export function idOf(value: unknown): string | null {
  const [first] = listOf(value);
  const id = isObject(first) ? (first.id ?? first.href) : first;
  return typeof id === "string" && id.length <= MAX_ID_LENGTH ? id : null;
}

export function idsOf(value: unknown): string[] {
  return listOf(value)
    .map(idOf)
    .filter((id) => id !== null);
}

/** null if the value is no URL of a web page. */
export function webUrlOf(value: unknown): string | null {
  const url = idOf(value);
  return hostOfId(url) === null ? null : url;
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function hasType(document: Json, ...types: string[]): boolean {
  return listOf(document.type).some((type) => typeof type === "string" && types.includes(type));
}

const MAX_ID_LENGTH = 2000;

/**
 * Includes the port if it is not the default. null if the text is no http or https URL, or has a user name or
 * password.
 */
export function hostOfId(id: string | null): string | null {
  const url = parseWebUrl(id ?? "");
  return url && !url.username && !url.password ? url.host : null;
}
