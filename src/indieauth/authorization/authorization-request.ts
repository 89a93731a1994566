import { MAX_LENGTHS } from "../../config/request-limits";
import { malformed, malformedField } from "../../errors";
import { fieldTooLong } from "../../http/forms/form-body";
import { parseClientId, parseRedirectUri } from "../clients/client-id";
import { requestedScopes } from "../tokens/scopes";

/** SHA-256 in base64url without padding (RFC 7636 4.2). */
const CHALLENGE = /^[\w-]{43}$/;
/** As apps made with indieauth-helper write it. */
const HEX_CHALLENGE = /^[0-9a-f]{64}$/;
/** How long what an app says may be; `client_id` and `redirect_uri` are measured where they are read. */
const LIMITS = {
  code_challenge: MAX_LENGTHS.codeVerifier,
  me: MAX_LENGTHS.webAddress,
  scope: MAX_LENGTHS.scope,
  state: MAX_LENGTHS.state,
};

/** What an app sends its user here with (IndieAuth 5.2), checked as far as it can be without asking the app. */
export interface AuthorizationRequest {
  clientId: string;
  redirectUri: string;
  /** Goes back as it came; null where there was none. */
  state: string | null;
  challenge: string;
  /** Those that mean something here, and what comes with them. */
  scopes: string[];
  /** Who the user said they are. */
  me: string | null;
}

/** @throws Refusal (malformed); nobody is sent to a redirect_uri by a request that is wrong */
export function parseAuthorizationRequest(query: URLSearchParams): AuthorizationRequest {
  const names = new Set<string>();
  for (const name of query.keys()) {
    if (names.has(name)) throw malformed(`${name.slice(0, MAX_LENGTHS.fieldName)} is there more than once.`);
    names.add(name);
  }
  for (const [name, most] of Object.entries(LIMITS))
    if ((query.get(name)?.length ?? 0) > most) throw fieldTooLong(name, most);
  const clientId = parseClientId(query.get("client_id"));
  const redirectUri = parseRedirectUri(query.get("redirect_uri")).href;
  check(query.get("response_type") === "code", "response_type", 'must be "code"');
  const challenge = challengeIn(query.get("code_challenge") ?? "");
  check(challenge !== "", "code_challenge", "is missing: apps sign in with PKCE here (RFC 7636)");
  check(query.get("code_challenge_method") === "S256", "code_challenge_method", 'must be "S256"');
  check(CHALLENGE.test(challenge), "code_challenge", "must be a SHA-256 hash in base64url, 43 characters");
  const scopes = requestedScopes(query.get("scope") ?? "");
  return { clientId, redirectUri, state: query.get("state"), challenge, scopes, me: query.get("me") };
}

function challengeIn(text: string): string {
  return HEX_CHALLENGE.test(text) ? Buffer.from(text, "hex").toString("base64url") : text;
}

function check(isMet: boolean, name: string, fault: string): void {
  if (!isMet) throw malformedField(name, fault);
}
