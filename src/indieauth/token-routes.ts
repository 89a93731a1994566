import { bearerToken } from "../access/authentication";
import { reachableBlogs } from "../access/scopes";
import { accountById } from "../accounts/accounts";
import { authenticateKey, type Caller } from "../accounts/api-keys";
import { recordAppAttempt } from "../accounts/app-attempts";
import {
  type AppKey,
  blogSignedInAs,
  type Exchange,
  exchangeForIdentity,
  exchangeForKey,
  renewAppKey,
  revokeToken,
} from "../accounts/app-tokens";
import { blogById, blogUrl } from "../blogs/blogs";
import { MAX_LENGTHS } from "../config/request-limits";
import { malformedField, Refusal, unscoped } from "../errors";
import type { Call } from "../http/requests/call";
import { readForm, type SentForm } from "../http/requests/request-body";
import { OAuthRefusal, oauthErrorResponse } from "../http/responses/error-responses";
import {
  CACHE_CONTROL,
  emptyResponse,
  type HttpResponse,
  jsonResponse,
  sendResponse,
  withHeaders,
} from "../http/responses/response";
import { unparsedRouter } from "../http/router";
import type { Platen } from "../platen";
import { ALL_SCOPES } from "./authorization-request";
import { parseClientId, parseRedirectUri } from "./client-metadata";

const FORM = {
  action: MAX_LENGTHS.token,
  client_id: MAX_LENGTHS.webAddress,
  code: MAX_LENGTHS.token,
  code_verifier: MAX_LENGTHS.codeVerifier,
  grant_type: MAX_LENGTHS.token,
  redirect_uri: MAX_LENGTHS.webAddress,
  refresh_token: MAX_LENGTHS.token,
  scope: MAX_LENGTHS.scope,
  token: MAX_LENGTHS.token,
};
type Form = SentForm<keyof typeof FORM>;

/** Apps may run in a browser. Any origin may read the responses, because these routes ignore cookies. */
const CORS_HEADERS = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, POST",
  "access-control-allow-headers": "Authorization, Content-Type",
  "access-control-max-age": "86400",
};

/** The code or refresh token is invalid or expired (RFC 6749 5.2). */
const invalidGrant = (message: string) => new OAuthRefusal("invalid_grant", "malformed", message);
const unsupportedGrant = (message: string) =>
  new OAuthRefusal("unsupported_grant_type", "malformed", message);
/** The access token is invalid (RFC 6750 3.1). */
const invalidToken = (message: string) => new OAuthRefusal("invalid_token", "unauthorized", message);

/** Forbids caching, because the response may contain a key (RFC 6749 5.1). */
function forApp(response: HttpResponse): HttpResponse {
  return withHeaders(response, { "cache-control": CACHE_CONTROL.noStore, ...CORS_HEADERS });
}

function sendToApp(call: Call, response: HttpResponse): Response {
  return sendResponse(call, forApp(response));
}

const preflight = ({ call }: { call: Call }): Response => sendToApp(call, emptyResponse());

export const appErrorResponse = (refusal: Refusal) => forApp(oauthErrorResponse(refusal));

const METADATA = "/.well-known/oauth-authorization-server";

const PATHS = [METADATA, "/auth", "/auth/token", "/auth/revoke", "/auth/introspect", "/auth/userinfo"];

/** Endpoints and metadata of IndieAuth 4.1, 5.3, 5.5, 6, 7 and 9. */
export const tokens = (platen: Platen) => {
  const app = unparsedRouter(platen, "tokens", appErrorResponse)
    .get(METADATA, ({ call }) => sendToApp(call, jsonResponse(200, metadataOf(platen))))
    .post("/auth", exchangeHandler(exchangeProfile, "The app knows your identity."))
    .post("/auth/token", exchangeHandler(answerTokenRequest, "The app has its key."))
    .post("/auth/revoke", async ({ call }) =>
      sendToApp(call, revoke(platen, await readForm(call.request, FORM))),
    )
    .post("/auth/introspect", async ({ call }) => {
      requireCaller(call);
      const token = (await readForm(call.request, { token: MAX_LENGTHS.token })).get("token") ?? "";
      const caller = authenticateKey(platen, token);
      const body = caller ? { active: true, ...describe(platen, caller) } : { active: false };
      return sendToApp(call, jsonResponse(200, body));
    })
    // For apps and servers that do not support introspection.
    .get("/auth/token", ({ call }) => {
      const { me, client_id, scope } = describe(platen, requireCaller(call));
      return sendToApp(call, jsonResponse(200, { me, client_id, scope }));
    })
    .get("/auth/userinfo", ({ call }) => {
      const { profile } = identityBehind(platen, requireCaller(call));
      if (!profile) throw unscoped("This key may not do that: it needs the scope profile.");
      return sendToApp(call, jsonResponse(200, profile));
    });
  for (const path of PATHS) app.options(path, preflight);
  return app;
};

function exchangeHandler(exchange: (platen: Platen, form: Form) => HttpResponse, success: string) {
  return async ({ call }: { call: Call }) => {
    const form = await readForm(call.request, FORM);
    const step = { clientId: form.get("client_id"), action: "finish signing in", accountId: null };
    const outcome = form.get("action") === "revoke" ? null : success;
    const response = recordSignInStep(call.platen, step, outcome, () => exchange(call.platen, form));
    return sendToApp(call, await response);
  };
}

function exchangeProfile(platen: Platen, form: Form): HttpResponse {
  if ((form.get("grant_type") ?? "authorization_code") !== "authorization_code")
    throw unsupportedGrant("This endpoint exchanges codes only.");
  const grant = exchangeForIdentity(platen, exchangeIn(form));
  if ("refused" in grant) throw invalidGrant(grant.refused);
  return jsonResponse(200, identityOf(platen, grant.accountId, grant.blogId, grant.scopes));
}

function answerTokenRequest(platen: Platen, form: Form): HttpResponse {
  // Older apps revoke tokens here.
  if (form.get("action") === "revoke") return revoke(platen, form);
  const grantType = field(form, "grant_type");
  if (grantType === "authorization_code") return exchangeCode(platen, form);
  if (grantType === "refresh_token") return renew(platen, form);
  throw unsupportedGrant('grant_type must be "authorization_code" or "refresh_token".');
}

function exchangeCode(platen: Platen, form: Form): HttpResponse {
  const outcome = exchangeForKey(platen, exchangeIn(form));
  if ("refused" in outcome) throw invalidGrant(outcome.refused);
  const { appKey, grant } = outcome;
  const identity = identityOf(platen, grant.accountId, grant.blogId, grant.scopes);
  return jsonResponse(200, { ...tokenBody(appKey), ...identity });
}

function renew(platen: Platen, form: Form): HttpResponse {
  const clientId = parseClientId(field(form, "client_id"));
  const scopes = form.get("scope")?.split(/\s+/).filter(Boolean) ?? null;
  const outcome = renewAppKey(platen, field(form, "refresh_token"), clientId, scopes);
  if ("refused" in outcome) throw invalidGrant(outcome.refused);
  const caller = authenticateKey(platen, outcome.accessToken);
  return jsonResponse(200, { ...tokenBody(outcome), ...(caller && identityBehind(platen, caller)) });
}

/** 200 even for an unknown token (RFC 7009 2.2). */
function revoke(platen: Platen, form: Form): HttpResponse {
  revokeToken(platen, form.get("token") ?? "");
  return { ...emptyResponse(), status: 200 };
}

function tokenBody({ accessToken, refreshToken, scopes }: AppKey) {
  return {
    access_token: accessToken,
    token_type: "Bearer",
    scope: scopes.join(" "),
    refresh_token: refreshToken,
  };
}

function exchangeIn(form: Form): Exchange {
  return {
    code: field(form, "code"),
    clientId: parseClientId(field(form, "client_id")),
    redirectUri: parseRedirectUri(field(form, "redirect_uri")).href,
    verifier: field(form, "code_verifier"),
  };
}

function field(form: Form, name: keyof typeof FORM): string {
  const value = form.get(name);
  if (!value) throw malformedField(name, "is missing");
  return value;
}

function requireCaller({ platen, request }: Call): Caller {
  const key = bearerToken(request);
  const caller = key === null ? null : authenticateKey(platen, key);
  if (!caller) throw invalidToken('Send a valid key in the header "Authorization: Bearer <key>".');
  return caller;
}

function describe(platen: Platen, caller: Caller) {
  const { clientId, scopes, createdAt, expiresAt } = caller.key;
  return {
    me: identityBehind(platen, caller).me,
    client_id: clientId ?? undefined,
    scope: scopes.join(" "),
    iat: seconds(createdAt),
    exp: expiresAt ? seconds(expiresAt) : undefined,
    token_type: "Bearer",
  };
}

const seconds = (time: Date) => Math.floor(time.getTime() / 1000);

/** Must equal `iss` in redirects, because apps compare them (RFC 9207). */
export function issuerOf({ config }: Platen): string {
  return `${config.url}/`;
}

/** Server metadata (IndieAuth 4.1.1, RFC 8414). */
function metadataOf(platen: Platen) {
  const { url } = platen.config;
  return {
    issuer: issuerOf(platen),
    authorization_endpoint: `${url}/auth`,
    token_endpoint: `${url}/auth/token`,
    introspection_endpoint: `${url}/auth/introspect`,
    revocation_endpoint: `${url}/auth/revoke`,
    revocation_endpoint_auth_methods_supported: ["none"],
    userinfo_endpoint: `${url}/auth/userinfo`,
    scopes_supported: ALL_SCOPES,
    response_types_supported: ["code"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none"],
    authorization_response_iss_parameter_supported: true,
  };
}

/** The part of the user's identity that an app may see (IndieAuth 5.3.4). */
function identityOf(platen: Platen, accountId: number, blogId: number | undefined, scopes: string[]) {
  const blog = blogId === undefined ? undefined : blogById(platen, blogId);
  const me = blog ? blogUrl(platen, blog) : `${platen.config.url}/`;
  const account = accountById(platen, accountId);
  if (!account || !scopes.includes("profile")) return { me };
  const email = scopes.includes("email") ? account.email : undefined;
  return { me, profile: { name: account.name, url: me, email } };
}

/** `me` of a key that no app received is the first blog that the key can reach. */
function identityBehind(platen: Platen, caller: Caller) {
  const blogId = blogSignedInAs(platen, caller.key.id) ?? reachableBlogs(platen, caller)[0]?.id;
  return identityOf(platen, caller.account.id, blogId, caller.key.scopes);
}

interface SignInStep {
  clientId: string | null;
  action: string;
  accountId: number | null;
}

/** @param outcome text of the log entry after a success; null for no entry */
export async function recordSignInStep<Result>(
  platen: Platen,
  { accountId, ...step }: SignInStep,
  outcome: string | null,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  const app = URL.parse(step.clientId ?? "")?.host || "An unknown app";
  const record = (outcome: string, isSuccess: boolean) =>
    recordAppAttempt(platen, accountId, { ...step, app, outcome, isSuccess });
  try {
    const result = await work();
    if (outcome !== null) record(outcome, true);
    return result;
  } catch (error) {
    if (error instanceof Refusal) record(error.message, false);
    throw error;
  }
}
