import { malformed } from "../../errors";
import { clientIdOf, redirectUriOf } from "../clients/client-id";
import { requestedScopes } from "../tokens/scopes";

/** SHA-256 in base64url without padding (RFC 7636 4.2). */
const CHALLENGE = /^[\w-]{43}$/;
/** As apps made with indieauth-helper write it. */
const HEX_CHALLENGE = /^[0-9a-f]{64}$/;
/** Characters: it goes to and fro in addresses. */
const LONGEST_STATE = 2000;

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
export function authorizationRequestIn(query: URLSearchParams): AuthorizationRequest {
  const twice = [...query.keys()].find((name, at, all) => all.indexOf(name) !== at);
  if (twice !== undefined) throw malformed(`${twice} is there more than once.`);
  const clientId = clientIdOf(query.get("client_id"));
  const redirectUri = redirectUriOf(query.get("redirect_uri")).href;
  check(query.get("response_type") === "code", "response_type", 'must be "code"');
  const challenge = challengeIn(query.get("code_challenge") ?? "");
  check(challenge !== "", "code_challenge", "is missing: apps sign in with PKCE here (RFC 7636)");
  check(query.get("code_challenge_method") === "S256", "code_challenge_method", 'must be "S256"');
  check(CHALLENGE.test(challenge), "code_challenge", "must be a SHA-256 hash in base64url, 43 characters");
  const state = query.get("state");
  check((state?.length ?? 0) <= LONGEST_STATE, "state", `must be at most ${LONGEST_STATE} characters`);
  const scopes = requestedScopes(query.get("scope") ?? "");
  return { clientId, redirectUri, state, challenge, scopes, me: query.get("me") };
}

function challengeIn(text: string): string {
  return HEX_CHALLENGE.test(text) ? Buffer.from(text, "hex").toString("base64url") : text;
}

function check(isMet: boolean, name: string, fault: string): void {
  if (!isMet) throw malformed(`${name} ${fault}.`, { [name]: [fault] });
}
