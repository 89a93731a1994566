import { APP_SCOPES, SCOPE_LABELS, SCOPES } from "../accounts/api-keys";
import { MAX_LENGTHS } from "../config/request-limits";
import { malformed, malformedField } from "../errors";
import { fieldTooLong } from "../http/requests/request-body";
import { parseClientId, parseRedirectUri } from "./client-metadata";

/** SHA-256 in base64url without padding (RFC 7636 4.2). */
const CHALLENGE = /^[\w-]{43}$/;
/** Matches a challenge in hex, which apps that use the library indieauth-helper send. */
const HEX_CHALLENGE = /^[0-9a-f]{64}$/;
/** `client_id` and `redirect_uri` are checked when they are parsed. */
const LIMITS = {
  code_challenge: MAX_LENGTHS.codeVerifier,
  me: MAX_LENGTHS.webAddress,
  scope: MAX_LENGTHS.scope,
  state: MAX_LENGTHS.state,
};

export type AuthorizationRequest = ReturnType<typeof parseAuthorizationRequest>;

/** IndieAuth 5.2. Throws errors, because the redirect URI is not yet checked against the metadata. */
export function parseAuthorizationRequest(query: URLSearchParams) {
  const names = new Set<string>();
  for (const name of query.keys()) {
    if (names.has(name)) throw malformed(`${name.slice(0, MAX_LENGTHS.fieldName)} must be given only once.`);
    names.add(name);
  }
  for (const [name, most] of Object.entries(LIMITS))
    if ((query.get(name)?.length ?? 0) > most) throw fieldTooLong(name, most);
  const clientId = parseClientId(query.get("client_id"));
  const redirectUri = parseRedirectUri(query.get("redirect_uri")).href;
  check(query.get("response_type") === "code", "response_type", 'must be "code"');
  const sent = query.get("code_challenge") ?? "";
  const challenge = HEX_CHALLENGE.test(sent) ? Buffer.from(sent, "hex").toString("base64url") : sent;
  check(challenge !== "", "code_challenge", "is missing: apps sign in with PKCE here (RFC 7636)");
  check(query.get("code_challenge_method") === "S256", "code_challenge_method", 'must be "S256"');
  check(CHALLENGE.test(challenge), "code_challenge", "must be a SHA-256 hash in base64url, 43 characters");
  const scopes = requestedScopes(query.get("scope") ?? "");
  // The response repeats `state` unchanged.
  return { clientId, redirectUri, state: query.get("state"), challenge, scopes, me: query.get("me") };
}

function check(isMet: boolean, name: string, error: string): void {
  if (!isMet) throw malformedField(name, error);
}

export const ALL_SCOPES: string[] = [...SCOPES, ...APP_SCOPES];

/** Checking SCOPES is enough: `profile` and `email` only identify, `undelete` comes with `update`. */
export function reachesBlogs(scopes: string[]): boolean {
  return scopes.some((scope) => (SCOPES as readonly string[]).includes(scope));
}

/** Adds `read`, because apps that write also read settings and posts. */
function requestedScopes(text: string): string[] {
  const requested = new Set(text.split(/\s+/).filter((scope) => ALL_SCOPES.includes(scope)));
  if (requested.has("undelete")) requested.add("update");
  if (reachesBlogs([...requested])) requested.add("read");
  return [...requested];
}

export function scopeChoices(requested: string[]): [scope: string, description: string][] {
  return Object.entries(SCOPE_LABELS).filter(([scope]) => requested.includes(scope));
}

/** `undelete` has no checkbox of its own: it is granted together with `update`. */
export function grantedScopes(requested: string[], selected: string[]): string[] {
  return requested.filter((scope) => selected.includes(scope === "undelete" ? "update" : scope));
}
